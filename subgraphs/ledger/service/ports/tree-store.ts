import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TilePlace } from '../../../../shared/merkle/tiles.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** A leaf of the tenant's tree: which entry of which chain it stands for (evidence.md section 2 "Tree"). */
export interface TreeRow {
  readonly tree_index: number;
  readonly source_system: string;
  readonly seq: number;
  /** Lower-case hex, as in the ledger's row; the leaf is `leafHash` of its 32 bytes. */
  readonly entry_hash: string;
}

/** An entry of a chain, as far as the tree needs it. */
export interface EntryHash {
  readonly seq: number;
  readonly entry_hash: string;
}

/** The next places of the tree were taken by another: nothing of what was given after them is written. */
export interface AssignOutcome {
  readonly written: number;
  readonly conflict: boolean;
}

/** A full tile; it follows from the rows, and never changes. */
export interface FullTile {
  readonly place: TilePlace;
  /** 256 hashes. */
  readonly hashes: Buffer;
  /** The one hash that it is in the level above. */
  readonly root: Buffer;
}

/** An unfinished tile of an upper level, as far as it was filled when it was noted. */
export interface EdgeTile {
  readonly place: TilePlace;
  readonly hashes: Buffer;
}

/** A signed checkpoint as it was published. Never updated but for its pending effects. */
export interface CheckpointRow {
  readonly checkpoint_id: string;
  /** 1, 2, 3 … over all incarnations: of two that publish at once, one is refused. */
  readonly number: number;
  readonly incarnation: number;
  /** The note's first line: the ledger's origin and `/inc-<n>`. */
  readonly origin: string;
  readonly tree_size: number;
  /** Lower-case hex. */
  readonly root_hash: string;
  /** Thumbprint of the key that signed. */
  readonly key_id: string;
  /** The signed note (C2SP tlog-checkpoint), cosignatures included. */
  readonly note: string;
  /** Names of the witnesses whose cosignatures stand in the note. */
  readonly witnesses: readonly string[];
  /** Hash of the note: its write-once copy is a record of this name. */
  readonly worm_sha256: string;
  readonly published_at: Date;
}

/** A life of the tree between two regresses; the first one begins by itself. */
export interface IncarnationRow {
  readonly incarnation: number;
  /** Of the request that declared it. */
  readonly declaration_id: string;
  readonly reason: string;
  /** Id of the actor or key that declared it. */
  readonly declared_by: string;
  readonly declared_at: Date;
  /** What the incarnation before had published last; null for nothing. */
  readonly previous: {
    readonly checkpoint_id: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
  } | null;
  /** How many entries the tree held when it was declared. */
  readonly tree_size: number;
}

/** Who may assign places now. */
export interface TreeLease {
  /** Another for every claim. */
  readonly fence: number;
  /** How many tiles of level 0 are known to be kept, in this incarnation. */
  readonly tilesDone: number;
}

/** What was published of one tenant's tree. */
export interface TenantCheckpoints {
  latestCheckpoint(): Promise<CheckpointRow | null>;
  checkpoint(checkpointId: string): Promise<CheckpointRow | null>;
  /** The first one of this size in an incarnation. */
  checkpointOfSize(incarnation: number, treeSize: number): Promise<CheckpointRow | null>;
  /** By (time, id); one more than `limit` where there is more. */
  checkpoints(window: ListWindow): Promise<readonly CheckpointRow[]>;
  /** Which of these write-once records are notes of checkpoints: for who asks what explains a record. */
  noteHashes(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Durable, with what must follow from it. False when its number is taken: another has published meanwhile. */
  publish(row: CheckpointRow, pending: readonly PendingEffect[]): Promise<boolean>;

  latestIncarnation(): Promise<IncarnationRow | null>;
  /** Durable, with what must follow from it. False when the incarnation is declared already. */
  declare(row: IncarnationRow, pending: readonly PendingEffect[]): Promise<boolean>;
}

/** The tree of one tenant: no method can reach another's rows. Reads see what a majority has. */
export interface TenantTree extends TenantCheckpoints {
  /** Number of leaves. */
  size(): Promise<number>;
  /** Leaves from `from` on, in order, at most `limit`. */
  rows(from: number, limit: number): Promise<readonly TreeRow[]>;
  /** Leaves of one chain from `fromSeq` on, in sequence, at most `limit`. */
  ofChain(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly TreeRow[]>;
  /** The tree index of entries of a chain, by sequence; those that have none yet are absent. */
  treeIndexOf(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** The last sequence of a chain that has a place; 0 for none. */
  assignedUpTo(sourceSystem: string): Promise<number>;
  /** Inserts rows in order, durably, up to the first place that is taken. */
  assign(rows: readonly TreeRow[]): Promise<AssignOutcome>;

  /** Tiles of these places that are kept, by `level/index`. */
  tiles(incarnation: number, places: readonly TilePlace[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Roots of the kept tiles of a level, from index `from` on, as far as they are consecutive, at most `limit`. */
  tileRoots(incarnation: number, level: number, from: number, limit: number): Promise<readonly Buffer[]>;
  /** Keeps full tiles; keeping one again changes nothing. */
  keepTiles(incarnation: number, tiles: readonly FullTile[]): Promise<void>;

  /** Entry hashes of a chain, in sequence: what waits for a place. Only what a majority has. */
  entryHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHash[]>;
  /** Null while another holds the tree. */
  hold(owner: string, nowMs: number, untilMs: number, incarnation: number): Promise<TreeLease | null>;
  /** False when the lease was lost. */
  renew(lease: TreeLease, untilMs: number): Promise<boolean>;
  /** Lets go of the tree, and notes how far its tiles are kept, and what of upper levels is not filled; null leaves that as it is. */
  release(lease: TreeLease, incarnation: number, tilesDone: number, edges: readonly EdgeTile[] | null): Promise<void>;
  /** The unfinished upper tiles as they were noted last, by `level/index`: a help, and as little believed as any cache. */
  edges(incarnation: number): Promise<ReadonlyMap<string, Buffer>>;
}

export type TreeStore = (tenantId: string) => TenantTree;

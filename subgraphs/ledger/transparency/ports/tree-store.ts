import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TilePlace } from '../../../../shared/merkle/tiles.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** A leaf of the tenant's tree, and its entry (evidence.md section 2 "Tree"). */
export interface TreeRow {
  readonly tree_index: number;
  readonly source_system: string;
  readonly seq: number;
  /** Lower-case hex, as in the ledger's row; the leaf is `leafHash` of its 32 bytes. */
  readonly entry_hash: string;
  /** The first field of a wrong type, for a damaged row; its other members are then of no use. */
  readonly malformed?: string;
}

/** A stored checkpoint as verification reads it: the row, or the first field of a wrong type. */
export type ExaminedCheckpoint =
  | { readonly number: number; readonly row: CheckpointRow }
  | { readonly number: number | null; readonly row: null; readonly key: string; readonly field: string };

/** The members of an entry that the tree needs. */
export interface EntryHash {
  readonly seq: number;
  readonly entry_hash: string;
}

/** Place of an entry in its chain. */
export interface ChainPlace {
  readonly source_system: string;
  readonly seq: number;
}

/** The members of an entry that link it to its neighbours. */
export interface LinkedEntry extends ChainPlace {
  readonly prev_hash: string;
  readonly entry_hash: string;
}

/** Another process took the next places: no leaf after them is written. */
export interface AssignOutcome {
  readonly written: number;
  readonly conflict: boolean;
}

/** A full tile; it follows from the rows and never changes. */
export interface FullTile {
  readonly place: TilePlace;
  /** 256 hashes. */
  readonly hashes: Buffer;
  /** Its one hash in the level above. */
  readonly root: Buffer;
}

/** An unfinished tile of an upper level at the time it was saved. */
export interface EdgeTile {
  readonly place: TilePlace;
  readonly hashes: Buffer;
}

/** A published checkpoint. Only its pending effects ever change. */
export interface CheckpointRow {
  readonly checkpoint_id: string;
  /** 1, 2, 3 … over all incarnations: of two concurrent publishers, one is rejected. */
  readonly number: number;
  readonly incarnation: number;
  /** The note's first line: the ledger's origin and `/inc-<n>`. */
  readonly origin: string;
  readonly tree_size: number;
  /** Lower-case hex. */
  readonly root_hash: string;
  /** Thumbprint of the key that signed. */
  readonly key_id: string;
  /** The signed note (C2SP tlog-checkpoint), including cosignatures. */
  readonly note: string;
  /** Names of the witnesses that have cosigned the note. */
  readonly witnesses: readonly string[];
  /** Hash of the note, which names its write-once copy. */
  readonly worm_sha256: string;
  readonly published_at: Date;
}

/** The tree between two regresses; the first incarnation needs no declaration. */
export interface IncarnationRow {
  readonly incarnation: number;
  /** The request that declared it. */
  readonly declaration_id: string;
  readonly reason: string;
  /** Id of the actor or key that declared it. */
  readonly declared_by: string;
  readonly declared_at: Date;
  /** The last checkpoint of the previous incarnation; null if there was none. */
  readonly previous: {
    readonly checkpoint_id: string;
    readonly incarnation: number;
    readonly tree_size: number;
    readonly root_hash: string;
  } | null;
  /** Entries in the tree at the declaration. */
  readonly tree_size: number;
}

/** The process that may assign places now. */
export interface TreeLease {
  /** A new value for every claim. */
  readonly fence: number;
  /** Number of stored tiles of level 0, in this incarnation. */
  readonly tilesDone: number;
}

/** Published checkpoints of one tenant's tree. */
export interface TenantCheckpoints {
  latestCheckpoint(): Promise<CheckpointRow | null>;
  checkpoint(checkpointId: string): Promise<CheckpointRow | null>;
  /** Returns the first checkpoint of this size in an incarnation. */
  checkpointOfSize(incarnation: number, treeSize: number): Promise<CheckpointRow | null>;
  /** Returns the newest checkpoint of an incarnation that a witness has cosigned. */
  latestCosigned(incarnation: number): Promise<CheckpointRow | null>;
  /** Returns the checkpoint with this very note. */
  checkpointOfNote(incarnation: number, note: string): Promise<CheckpointRow | null>;
  /** Lists by (time, id); returns one more than `limit` if there are more. */
  checkpoints(window: ListWindow): Promise<readonly CheckpointRow[]>;
  /**
   * Returns up to `limit` checkpoints after a number, in the order of numbers; null begins with those that have no
   * number. Damage is part of the answer.
   */
  examined(after: number | null, limit: number): Promise<readonly ExaminedCheckpoint[]>;
  /** Returns which of these write-once records are notes of checkpoints. */
  noteHashes(sha256s: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores it durably with its effects. Returns false if its number is taken: another process published meanwhile. */
  publish(row: CheckpointRow, pending: readonly PendingEffect[]): Promise<boolean>;

  latestIncarnation(): Promise<IncarnationRow | null>;
  /** Stores it durably with its effects. Returns false if the incarnation is declared already. */
  declare(row: IncarnationRow, pending: readonly PendingEffect[]): Promise<boolean>;
}

/** The tree of one tenant: no method reaches rows of another. Reads see what a majority has. */
export interface TenantTree extends TenantCheckpoints {
  /** Number of leaves. */
  size(): Promise<number>;
  /** Returns at most `limit` leaves from `from` on, in order. */
  rows(from: number, limit: number): Promise<readonly TreeRow[]>;
  /** Returns at most `limit` leaves of one chain from `fromSeq` on, in sequence. */
  ofChain(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly TreeRow[]>;
  /** Returns the tree index of entries of a chain, by sequence; omits entries without one. */
  treeIndexOf(sourceSystem: string, sequences: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Returns the leaves of these entries, by one question; omits entries without one. */
  leavesAt(places: readonly ChainPlace[]): Promise<readonly TreeRow[]>;
  /** Returns the entries of the ledger at these places. */
  entriesAt(places: readonly ChainPlace[]): Promise<readonly LinkedEntry[]>;
  /** Returns the last sequence of a chain with a place; 0 for none. */
  assignedUpTo(sourceSystem: string): Promise<number>;
  /** Inserts rows in order, durably, up to the first place that is taken. */
  assign(rows: readonly TreeRow[]): Promise<AssignOutcome>;

  /** Returns the stored tiles of these places, by `level/index`. */
  tiles(incarnation: number, places: readonly TilePlace[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Returns at most `limit` consecutive roots of stored tiles of a level, from index `from` on. */
  tileRoots(incarnation: number, level: number, from: number, limit: number): Promise<readonly Buffer[]>;
  /** Stores full tiles; storing one again changes nothing. */
  keepTiles(incarnation: number, tiles: readonly FullTile[]): Promise<void>;

  /** Returns the entry hashes of a chain that wait for a place, in sequence. Only what a majority has. */
  entryHashes(sourceSystem: string, fromSeq: number, limit: number): Promise<readonly EntryHash[]>;
  /** Returns null while another process holds the tree. */
  hold(owner: string, nowMs: number, untilMs: number, incarnation: number): Promise<TreeLease | null>;
  /** Returns false if the lease was lost. */
  renew(lease: TreeLease, untilMs: number): Promise<boolean>;
  /**
   * Releases the tree and saves the number of stored tiles and the unfinished upper tiles; null leaves them as they
   * are.
   */
  release(lease: TreeLease, incarnation: number, tilesDone: number, edges: readonly EdgeTile[] | null): Promise<void>;
  /**
   * Returns the last saved unfinished upper tiles, by `level/index`: a hint that readers must verify, like any cache.
   */
  edges(incarnation: number): Promise<ReadonlyMap<string, Buffer>>;
}

export type TreeStore = (tenantId: string) => TenantTree;

/**
 * Reports a stored checkpoint, or incarnation, that proves nothing.
 *
 * @param compared names the compared things, for the exception
 * @throws INTEGRITY_FAILURE always
 */
export type RejectCheckpoint = (tenantId: string, id: string, compared: string) => Promise<never>;

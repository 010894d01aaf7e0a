import { z } from 'zod';
import { DONE, defineCall, FLAG, INT, list, SAFE_INT, TEXT, TEXT_OR_NULL, TEXTS, word } from '../contracts/call.js';
import { PublishedCheckpoint } from '../contracts/checkpoints.js';
import type { TenantId } from '../ids/tenant.js';
import { MAP_LOG_KINDS } from './keys.js';

// The state map of a tenant, for builds of bundles (docs/evidence.md "State map"). All hashes are lower-case hex.

/** A map that stays readable until its holder lets go of it. */
const FrozenMap = z.object({
  /** Number of entries that the map follows from; the tree index of its entry. */
  tree_size: z.int(),
  root: z.string(),
  /** The entry `map.committed`, the last leaf under the checkpoint. */
  entry: z.object({ event_id: z.string(), source_system: z.string(), seq: z.int(), entry_hash: z.string() }),
  checkpoint: PublishedCheckpoint,
});
export type FrozenMap = z.infer<typeof FrozenMap>;

/** Most keys of one slice of a multiproof. */
export const MAX_PROOF_KEYS = 1_000;

/** A slice of the multiproof over many keys. */
const MapProofSlice = z.object({
  /** Whole tokens, in base64. The slices in order, each completed by `settled` and joined, are the multiproof. */
  tokens: z.string(),
});

const MapLogKind = z.enum(MAP_LOG_KINDS);
export type MapLogKind = z.infer<typeof MapLogKind>;

/** A leaf of a log, and the entry that it is of. */
const MapLogLeaf = z.object({
  entry_hash: z.string(),
  /** Index of the entry or fact for which the event is in the log. */
  cause_index: z.int(),
  event_id: z.string(),
  source_system: z.string(),
  seq: z.int(),
  tree_index: z.int(),
});
export type MapLogLeaf = z.infer<typeof MapLogLeaf>;

const MapLogPage = z.object({
  /** In the order of the log, from `from` on; fewer than `limit` only at its end. */
  leaves: list(MapLogLeaf),
  /** All leaves of the log at this size of the tree. */
  count: z.int(),
});
export type MapLogPage = z.infer<typeof MapLogPage>;

/** Most leaves of one page of a log. */
export const MAX_LOG_LEAVES = 1_000;

/** Keys of one slice, sorted, each once. */
interface ProofKeys {
  readonly keys: readonly string[];
  /** The last key of the slice before; null for the first slice. */
  readonly after: string | null;
  /** The last slice: the proof ends after these keys. */
  readonly last: boolean;
}

interface LogAsked {
  readonly kind: MapLogKind;
  /** The member_tag, the matter or the incident. */
  readonly id: string;
  readonly from: number;
  readonly limit: number;
}

/** The state map of a tenant. */
export interface StateMaps {
  /**
   * Returns a map that covers every entry acknowledged before the call, under its own checkpoint, and keeps its
   * version for the holder. A later call of the same holder replaces the version.
   *
   * @param holder names the build
   * @throws CONFLICT, UNAVAILABLE as `Checkpoints.force`
   */
  freeze(tenantId: TenantId, holder: string): Promise<FrozenMap>;
  /** @throws NOT_FOUND for a version that was released; INTEGRITY_FAILURE for a damaged node */
  proof(tenantId: TenantId, treeSize: number, keys: ProofKeys): Promise<string>;
  /** The leaves of a log among the first `treeSize` entries. */
  log(tenantId: TenantId, treeSize: number, asked: LogAsked): Promise<MapLogPage>;
  /** The tags of members, as headers and facts hold them. */
  memberTags(tenantId: TenantId, memberIds: readonly string[]): Promise<readonly string[]>;
  release(tenantId: TenantId, holder: string): Promise<void>;
}

export const mapAt = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'mapAt',
  input: { holder: TEXT },
  output: FrozenMap,
});

export const mapProof = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'mapProof',
  input: { tree_size: SAFE_INT, keys: TEXTS, after: TEXT_OR_NULL, last: FLAG },
  output: MapProofSlice,
});

export const logEntries = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'logEntries',
  input: { kind: word(MapLogKind), id: TEXT, tree_size: SAFE_INT, from: SAFE_INT, limit: INT },
  output: MapLogPage,
});

export const memberTagsOf = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'memberTagsOf',
  input: { member_ids: TEXTS },
  output: list(z.string()),
});

export const unpinMap = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'unpinMap',
  input: { holder: TEXT },
  output: DONE,
});

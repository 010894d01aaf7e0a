import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, json, list, SAFE_INT, TEXT_OR_NULL } from './call.js';
import type { KnownAnchoring } from './ledger-verification.js';

/** Events that match any of the ids, within the window over their effective time. */
const EventSelection = z.object({
  member_ids: list(z.string()).exactOptional(),
  /** At most 1,000. */
  event_ids: list(z.string()).exactOptional(),
  /** `payload.matter_id`. */
  matter_id: z.string().exactOptional(),
  /** `payload.incident_id`. */
  incident_id: z.string().exactOptional(),
  from_ms: z.number().exactOptional(),
  to_ms: z.number().exactOptional(),
});
export type EventSelection = z.infer<typeof EventSelection>;

/** Position of an entry in its chain, and in the tree of its tenant. */
const EntryPlace = z.object({ tree_index: z.int(), source_system: z.string(), seq: z.int() });
export type EntryPlace = z.infer<typeof EntryPlace>;

const SelectedPage = z.object({
  /** In no particular order; an event that matches several ids may come again. */
  places: list(EntryPlace),
  /** Null at the end. */
  next_cursor: z.string().nullable(),
});
export type SelectedPage = z.infer<typeof SelectedPage>;

/** An entry of the ledger as a bundle holds it. */
const LedgerRecord = z.object({
  event_id: z.string(),
  source_system: z.string(),
  seq: z.int(),
  recorded_at: z.string(),
  commit: z.string(),
  fields: z.string(),
  member_tag: z.string().nullable(),
  prev_hash: z.string(),
  entry_hash: z.string(),
  /** R, and its seed in hex; null if the record is disposed of or may no longer be read. */
  record: z.string().nullable(),
  seed: z.string().nullable(),
  worm_sha256: z.string().nullable(),
  /** Of a disposed record: source_record_id of the `_system` entry that accounts for it. */
  disposal_id: z.string().nullable(),
});
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** The place of an entry of `_custody`, `_system` or `_records`, and what it is about. */
const ChainEntry = z.object({
  tree_index: z.int(),
  kind: z.enum(['CUSTODY', 'SYSTEM', 'RECORD']),
  subject_type: z.string(),
  subject_id: z.string(),
  partition: z.string(),
  seq: z.int(),
  entry_hash: z.string(),
});
export type ChainEntry = z.infer<typeof ChainEntry>;

/** Subject of chain entries: `KIND/id`, as custody names its subjects. */
const ChainSubject = z.object({ kind: z.string(), id: z.string() });
export type ChainSubject = z.infer<typeof ChainSubject>;

const WantedChain = z.object({
  /** At most 1,000. */
  subjects: list(ChainSubject),
  /** Entries of `_system` by source_record_id: disposals, facts of disposals and redactions. At most 1,000. */
  system_ids: list(z.string()),
  /** Subjects of facts in `_records`, `KIND/ID`. At most 1,000. */
  record_ids: list(z.string()),
});
export type WantedChain = z.infer<typeof WantedChain>;

const LedgerHead = z.object({ source_system: z.string(), seq: z.int(), hash: z.string() });
export type LedgerHead = z.infer<typeof LedgerHead>;

/** The tree that a checkpoint covers. */
const TreeAt = z.object({ incarnation: z.int(), tree_size: z.int() });
export type TreeAt = z.infer<typeof TreeAt>;

const RootedTree = TreeAt.extend({ root_hash: z.string() });

/** A block of 256 leaves, and the leaves of it to prove. */
const WantedBlock = z.object({
  block: z.int(),
  /** 0 to 255, ascending. */
  offsets: list(z.int()),
  /** The entries at these offsets, in hex: an entry that is no leaf of the tree is not proven. */
  entry_hashes: list(z.string()),
});
export type WantedBlock = z.infer<typeof WantedBlock>;

/** See BlockProof in shared/evidence/bundle/inclusion.ts. */
const BlockProof = z.object({ block: z.int(), nodes: list(z.string()), path: list(z.string()) });

/** Entries of the ledger, for bundles. Every call reads the first `tree_size` entries of the tenant's tree, so it repeats. */
export interface LedgerRecords {
  select(tenantId: TenantId, selection: EventSelection, treeSize: number, cursor: string | null): Promise<SelectedPage>;
  /** In the order asked for, at most 1,000. @throws INTEGRITY_FAILURE for a place without an entry */
  records(tenantId: TenantId, places: readonly EntryPlace[]): Promise<readonly LedgerRecord[]>;
  /** Entries of custody and of `_system` about these; each entry once, in order of the tree. */
  chain(tenantId: TenantId, wanted: WantedChain, treeSize: number): Promise<readonly ChainEntry[]>;
  /** Proofs in the order asked for, verified against the root. @throws INTEGRITY_FAILURE */
  inclusion(
    tenantId: TenantId,
    tree: z.infer<typeof RootedTree>,
    blocks: readonly WantedBlock[],
  ): Promise<readonly z.infer<typeof BlockProof>[]>;
  /** The last entry of each chain within the tree, by source_system. */
  heads(tenantId: TenantId, treeSize: number): Promise<readonly LedgerHead[]>;
  /** What holds the ledger to its history now; none if an anchor on this machine contradicts a checkpoint. */
  anchors(tenantId: TenantId): Promise<KnownAnchoring>;
}

export const selectRecords = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'selectRecords',
  input: { selection: json(EventSelection), tree_size: SAFE_INT, cursor: TEXT_OR_NULL },
  output: SelectedPage,
});

export const ledgerRecords = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerRecords',
  input: { places: json(list(EntryPlace)) },
  output: list(LedgerRecord),
});

export const ledgerChainEntries = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerChainEntries',
  input: { wanted: json(WantedChain), tree_size: SAFE_INT },
  output: list(ChainEntry),
});

export const ledgerBlockProofs = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerBlockProofs',
  input: { tree: json(RootedTree), blocks: json(list(WantedBlock)) },
  output: list(BlockProof),
});

export const ledgerHeadsWithin = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerHeadsWithin',
  input: { tree_size: SAFE_INT },
  output: list(LedgerHead),
});

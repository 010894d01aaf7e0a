import type { BlockProof } from '../evidence/bundle/inclusion.js';
import type { ChainRow, ChainRowKind } from '../evidence/bundle/tsv.js';
import type { TenantId } from '../ids/tenant.js';

/** Which events are looked for: those that meet any of the ids, within the window over their effective time. */
export interface EventSelection {
  readonly member_ids?: readonly string[];
  /** At most 1,000. */
  readonly event_ids?: readonly string[];
  /** `payload.matter_id`. */
  readonly matter_id?: string;
  /** `payload.incident_id`. */
  readonly incident_id?: string;
  readonly from_ms?: number;
  readonly to_ms?: number;
}

/** Where an entry stands: in its chain, and in the tree of its tenant. */
export interface EntryPlace {
  readonly tree_index: number;
  readonly source_system: string;
  readonly seq: number;
}

export interface SelectedPage {
  /** In no particular order; an event that meets several ids may come again. */
  readonly places: readonly EntryPlace[];
  /** Null at the end. */
  readonly next_cursor: string | null;
}

/** An entry of the ledger as it leaves in a bundle. */
export interface LedgerRecord {
  readonly event_id: string;
  readonly source_system: string;
  readonly seq: number;
  readonly recorded_at: string;
  readonly commit: string;
  readonly fields: string;
  readonly prev_hash: string;
  readonly entry_hash: string;
  /** R, and its seed in hex; null when the record is disposed of, or may not be read any more. */
  readonly record: string | null;
  readonly seed: string | null;
  readonly worm_sha256: string | null;
  /** Of one that is disposed of: the `_system` entry that accounts for it, by its source_record_id. */
  readonly disposal_id: string | null;
}

/** An entry of `_custody` or `_system`, as a row of chain.tsv tells it, and its place in the tree. */
export interface ChainEntry extends Omit<ChainRow, 'n' | 'kind'> {
  readonly tree_index: number;
  readonly kind: Exclude<ChainRowKind, 'LEDGER'>;
}

/** What chain entries are about: `KIND/id`, as custody names its subjects. */
export interface ChainSubject {
  readonly kind: string;
  readonly id: string;
}

export interface WantedChain {
  /** At most 1,000. */
  readonly subjects: readonly ChainSubject[];
  /** Entries of `_system` by their source_record_id: disposals, redactions applied. At most 1,000. */
  readonly system_ids: readonly string[];
}

export interface LedgerHead {
  readonly source_system: string;
  readonly seq: number;
  readonly hash: string;
}

/** The tree that a checkpoint covers. */
export interface TreeAt {
  readonly incarnation: number;
  readonly tree_size: number;
}

/** A block of 256 leaves, and which of them a proof is wanted for. */
export interface WantedBlock {
  readonly block: number;
  /** 0 to 255, ascending. */
  readonly offsets: readonly number[];
  /** The entries that stand there, in hex: one that is no leaf of the tree is not proven. */
  readonly entry_hashes: readonly string[];
}

/**
 * The ledger for those who seal parts of it. Everything is read as the first `tree_size` entries of the tenant's tree are,
 * so that asking again gives the same.
 */
export interface LedgerRecords {
  select(tenantId: TenantId, selection: EventSelection, treeSize: number, cursor: string | null): Promise<SelectedPage>;
  /** In the order asked for, at most 1,000. @throws INTEGRITY_FAILURE for a place that holds nothing */
  records(tenantId: TenantId, places: readonly EntryPlace[]): Promise<readonly LedgerRecord[]>;
  /** What stands in custody and in `_system` of these; each entry once, in order of the tree. */
  chain(tenantId: TenantId, wanted: WantedChain, treeSize: number): Promise<readonly ChainEntry[]>;
  /** Proofs in the order asked for, checked against the root. @throws INTEGRITY_FAILURE */
  inclusion(
    tenantId: TenantId,
    tree: TreeAt & { readonly root_hash: string },
    blocks: readonly WantedBlock[],
  ): Promise<readonly BlockProof[]>;
  /** The last entry of each chain within the tree, by source_system. */
  heads(tenantId: TenantId, treeSize: number): Promise<readonly LedgerHead[]>;
}

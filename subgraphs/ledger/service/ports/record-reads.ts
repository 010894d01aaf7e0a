import type { EventSelection } from '../../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { LedgerRow } from '../../domain/ledger-row.js';

/** Where a row stands in its chain. */
export interface ChainPlace {
  readonly source_system: string;
  readonly seq: number;
}

export interface FoundPlaces {
  readonly places: readonly ChainPlace[];
  readonly next: string | null;
}

/** Reads of one tenant's ledger for bundles. */
export interface TenantRecordReads {
  /** Places of events that meet one of the selection's ids; reserved partitions are left out. */
  select(selection: EventSelection, cursor: string | null, limit: number): Promise<FoundPlaces>;
  /** Whole rows at these places, in no particular order. */
  rows(places: readonly ChainPlace[]): Promise<readonly LedgerRow[]>;
  /** Entries of `_custody` that have one of these keys. */
  custody(keys: readonly string[]): Promise<readonly LedgerRow[]>;
  /** The `_system` entries of these source_record_ids. */
  systemEntries(sourceRecordIds: readonly string[]): Promise<readonly LedgerRow[]>;
  /** The last entry of a chain with a place before `treeSize`. */
  headWithin(sourceSystem: string, treeSize: number): Promise<{ readonly seq: number; readonly hash: string } | null>;
}

export type RecordReads = (tenantId: TenantId) => TenantRecordReads;

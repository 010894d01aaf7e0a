import type { EventSelection } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../append/domain/index.js';

/** The place of a row in its chain. */
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
  /** Returns the places of events that match one of the selection's ids, without reserved partitions. */
  select(selection: EventSelection, cursor: string | null, limit: number): Promise<FoundPlaces>;
  /** Returns whole rows at these places, in no particular order. */
  rows(places: readonly ChainPlace[]): Promise<readonly LedgerRow[]>;
  /** Returns entries of `_custody` that have one of these keys. */
  custody(keys: readonly string[]): Promise<readonly LedgerRow[]>;
  /** Returns the entries of a partition of the service with these source_record_ids. */
  named(partition: string, sourceRecordIds: readonly string[]): Promise<readonly LedgerRow[]>;
  /** Returns the last entry of a chain with a tree index below `treeSize`. */
  headWithin(sourceSystem: string, treeSize: number): Promise<{ readonly seq: number; readonly hash: string } | null>;
}

export type RecordReads = (tenantId: TenantId) => TenantRecordReads;

import type { LedgerRow } from '../../domain/ledger-row.js';
import type { EventQuery } from './ledger-store.js';

export interface CustodyQuery extends Pick<EventQuery, 'fromMs' | 'toMs' | 'after' | 'ascending' | 'limit'> {
  /** Entries that have one key of each of these sets (domain/custody-keys.ts); the first is the narrowest. */
  readonly keys: readonly (readonly string[])[];
}

/** Custody entries of one tenant: rows of the partition `_custody` of its ledger. */
export interface TenantCustody {
  /** Up to `limit + 1` in order of (time, event). */
  list(query: CustodyQuery): Promise<readonly LedgerRow[]>;
}

export type CustodyStore = (tenantId: string) => TenantCustody;

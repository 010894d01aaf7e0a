import type { LedgerRow } from '../append/domain/index.js';
import type { EventQuery } from '../append/index.js';

export interface CustodyQuery extends Pick<EventQuery, 'fromMs' | 'toMs' | 'after' | 'ascending' | 'limit'> {
  /**
   * Finds entries that have a key of each of these sets (append/domain/custody-keys.ts); the first set is the
   * narrowest.
   */
  readonly keys: readonly (readonly string[])[];
}

/** Custody entries of one tenant: rows of the partition `_custody` of its ledger. */
export interface TenantCustody {
  /** Returns up to `limit + 1` rows in order of (time, event). */
  list(query: CustodyQuery): Promise<readonly LedgerRow[]>;
}

export type CustodyStore = (tenantId: string) => TenantCustody;

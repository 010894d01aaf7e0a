import type { LedgerRow } from '../../domain/ledger-row.js';
import type { Chain } from './consumer-cursors.js';

/** An event that states a known fact otherwise. */
export type MarkedRow = Pick<LedgerRow, '_id' | 'event_id' | 'conflicts_with'>;

/** Rows whose mark tells a conflict, and up to where their exceptions are known to stand. */
export interface ConflictStore {
  /** Marked rows of a chain after a sequence, in order. */
  marked(chain: Chain, afterSeq: number, limit: number): Promise<readonly MarkedRow[]>;
  /** By source system; a chain that never had a conflict has none. */
  doneUpTo(tenantId: string): Promise<ReadonlyMap<string, number>>;
  markDone(chain: Chain, seq: number): Promise<void>;
}

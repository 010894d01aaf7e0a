import type { WorkRow } from '../../../shared/jobs/work-queue.js';

/** One chain as a consumer of the ledger sees it. */
export interface Chain {
  readonly tenantId: string;
  readonly sourceSystem: string;
}

/** A consumer's progress on one chain: a row of the queue that does the work. */
export interface ConsumerRow extends WorkRow {
  readonly source_system: string;
  /** The last processed sequence; 0: none. */
  readonly seq: number;
}

/** Cursors of one consumer. While a worker holds a row, only the queue writes it, under its fence. */
export interface ConsumerCursors {
  /** The collection of the rows. */
  readonly collection: string;
  /** Returns the processed sequence; 0 for a chain without a cursor. */
  doneUpTo(chain: Chain): Promise<number>;
  /** Returns all chains of a tenant with a cursor. */
  ofTenant(tenantId: string): Promise<readonly { readonly sourceSystem: string; readonly seq: number }[]>;
  /**
   * Queues the idle chains and creates missing rows.
   *
   * @returns the chains that a worker holds; whether that work will see the new rows is unknown.
   */
  makeDue(chains: readonly Chain[], nowMs: number): Promise<readonly Chain[]>;
  /** Resets the cursor to the start, even while a worker holds it. */
  reset(chain: Chain, nowMs: number): Promise<void>;
  /** Advances the cursor; it never moves back. */
  advance(chain: Chain, seq: number): Promise<void>;
}

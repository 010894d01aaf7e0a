import type { WorkRow } from '../../../../shared/jobs/work-queue.js';

/** One chain as a consumer of the ledger sees it. */
export interface Chain {
  readonly tenantId: string;
  readonly sourceSystem: string;
}

/** How far a consumer has come on one chain: a row of the queue that does the work. */
export interface ConsumerRow extends WorkRow {
  readonly source_system: string;
  /** The last sequence that is done; 0: none. */
  readonly seq: number;
}

/** Cursors of one consumer. Writes while a row is held are the queue's, under its fence. */
export interface ConsumerCursors {
  /** Where the rows are kept. */
  readonly collection: string;
  /** Done up to there; 0 for a chain that was never looked at. */
  doneUpTo(chain: Chain): Promise<number>;
  /** All chains of a tenant that have a cursor. */
  ofTenant(tenantId: string): Promise<readonly { readonly sourceSystem: string; readonly seq: number }[]>;
  /**
   * Makes the chains' rows due, those at rest and those that were not there. @returns the chains that are being worked on
   * just now: whether that work will see what is new cannot be told.
   */
  makeDue(chains: readonly Chain[], nowMs: number): Promise<readonly Chain[]>;
  /** Back to the beginning, whoever holds it. */
  reset(chain: Chain, nowMs: number): Promise<void>;
  /** Done up to there, whoever did it; never back. */
  advance(chain: Chain, seq: number): Promise<void>;
}

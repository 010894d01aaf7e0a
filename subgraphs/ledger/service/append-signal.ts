import type { LedgerRow } from '../domain/ledger-row.js';

/** Called after rows of a chain have become durable. */
export type AppendListener = (tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]) => void;

/**
 * Tells parts of this process that a chain has grown. A hint and no more: a crash loses it, and other processes do not hear
 * it; whoever follows the ledger looks by itself as well (consume-ledger.ts).
 */
export class AppendSignal {
  readonly #listeners: AppendListener[] = [];

  /** Listeners return at once and never throw. */
  listen(listener: AppendListener): void {
    this.#listeners.push(listener);
  }

  tell(tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]): void {
    for (const listener of this.#listeners) listener(tenantId, sourceSystem, rows);
  }
}

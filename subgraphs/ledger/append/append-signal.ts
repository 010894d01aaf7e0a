import type { LedgerRow } from './domain/ledger-row.js';

/** Called after rows of a chain became durable. */
type AppendListener = (tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]) => void;

/**
 * Signals to other parts of this process that a chain has grown. The signal is a hint: a crash loses it and other
 * processes do not get it. Followers therefore also poll the ledger (consume-ledger.ts).
 */
export class AppendSignal {
  readonly #listeners: AppendListener[] = [];

  /** Adds a listener, which must return at once and never throw. */
  listen(listener: AppendListener): void {
    this.#listeners.push(listener);
  }

  signal(tenantId: string, sourceSystem: string, rows: readonly LedgerRow[]): void {
    for (const listener of this.#listeners) listener(tenantId, sourceSystem, rows);
  }
}

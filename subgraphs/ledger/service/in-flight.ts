import type { Ticket } from './append-batch.js';

const MAX_CONFLICTS_NAMED = 10;

/**
 * Events of this process that a look-up in the ledger may not show yet: waiting, being written, or written while the
 * look-up was under way. What other processes write meanwhile is stopped by the unique index.
 */
export class InFlight {
  readonly #byDuplicateKey = new Map<string, Ticket>();
  readonly #idsByFact = new Map<string, string[]>();
  #visible: Ticket[] = [];

  /** The first event with this envelope, if it is in flight. */
  first(duplicateKey: string): Ticket | undefined {
    return this.#byDuplicateKey.get(duplicateKey);
  }

  /** Ids of events in flight that state the same fact. */
  statingFact(factKey: string): readonly string[] {
    return this.#idsByFact.get(factKey) ?? [];
  }

  add(ticket: Ticket): void {
    const { duplicate_key, fact_key, event_id } = ticket.event;
    this.#byDuplicateKey.set(duplicate_key, ticket);
    const ids = this.#idsByFact.get(fact_key);
    if (!ids) this.#idsByFact.set(fact_key, [event_id]);
    else if (ids.length < MAX_CONFLICTS_NAMED) ids.push(event_id);
  }

  /** From now on every look-up that starts will show it. */
  written(ticket: Ticket): void {
    this.#visible.push(ticket);
  }

  /** Called as a look-up starts: what was written before is in its answer, so it need not be remembered here. */
  forgetVisible(): void {
    for (const ticket of this.#visible) this.forget(ticket);
    this.#visible = [];
  }

  forget(ticket: Ticket): void {
    const { duplicate_key, fact_key, event_id } = ticket.event;
    if (this.#byDuplicateKey.get(duplicate_key) === ticket) this.#byDuplicateKey.delete(duplicate_key);
    const ids = this.#idsByFact.get(fact_key)?.filter((id) => id !== event_id) ?? [];
    if (ids.length > 0) this.#idsByFact.set(fact_key, ids);
    else this.#idsByFact.delete(fact_key);
  }
}

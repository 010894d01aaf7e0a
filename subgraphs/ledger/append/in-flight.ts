import type { Ticket } from './append-batch.js';

const MAX_CONFLICTS_NAMED = 10;

/**
 * Events of this process that a look-up may miss: waiting, being written, or written during the look-up. The unique
 * index stops duplicates that other processes write meanwhile.
 */
export class InFlight {
  readonly #byDuplicateKey = new Map<string, Ticket>();
  readonly #idsByFact = new Map<string, string[]>();
  #visible: Ticket[] = [];

  /** Returns the first event in flight with this envelope. */
  first(duplicateKey: string): Ticket | undefined {
    return this.#byDuplicateKey.get(duplicateKey);
  }

  /** Returns the ids of events in flight that state the same fact. */
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

  /** Marks an event as visible to every look-up that starts from now on. */
  written(ticket: Ticket): void {
    this.#visible.push(ticket);
  }

  /** Called when a look-up starts: its answer includes all earlier writes, so that they need not be kept here. */
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

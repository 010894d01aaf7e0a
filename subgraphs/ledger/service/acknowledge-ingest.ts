import type { AcknowledgementNumbers } from './ports/acknowledgement-numbers.js';
import type { Acknowledger, AdapterItem, ItemOutcome } from './ports/format-adapter.js';
import type { IngestAcknowledgement } from './ports/ingest-store.js';

/** Tells an acknowledger what became of each item, in the order they were read; outcomes may come later than items. */
export class AcknowledgementFeed {
  readonly #acknowledger: Acknowledger | null;
  #waiting: AdapterItem[] = [];
  readonly #outcomes = new Map<number, ItemOutcome>();

  /** Null for a format that knows no acknowledgement. */
  constructor(acknowledger: Acknowledger | null) {
    this.#acknowledger = acknowledger;
  }

  /** Items that wait for the outcome of an event before or among them. */
  get waiting(): number {
    return this.#waiting.length;
  }

  take(item: AdapterItem): void {
    if (this.#acknowledger) this.#waiting.push(item);
  }

  settle(index: number, outcome: ItemOutcome): void {
    if (this.#acknowledger) this.#outcomes.set(index, outcome);
  }

  /** The items since the last cut: to be released in the order cut, each when its events have their outcomes. */
  cut(): readonly AdapterItem[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  release(items: readonly AdapterItem[]): void {
    for (const item of items) {
      const outcome = item.kind === 'event' ? this.#outcomes.get(item.index) : undefined;
      this.#acknowledger?.take(item, outcome);
      if (outcome && item.kind === 'event') this.#outcomes.delete(item.index);
    }
  }

  /** The sender's own kind of answer; null where the sender waits for none. */
  async finish(
    numbers: AcknowledgementNumbers,
    { format, nowIso }: { readonly format: string; readonly nowIso: string },
  ): Promise<IngestAcknowledgement | null> {
    const acknowledger = this.#acknowledger;
    const count = acknowledger?.count?.() ?? 1;
    // A number taken for nothing would be one that a receiver misses.
    if (acknowledger === null || count === 0) return null;
    const controlNumber = String(await numbers.take(format, count));
    const made = acknowledger.finish({ nowIso, controlNumber });
    if (made === null) return null;
    return { format: made.format, media_type: made.mediaType, content: made.text };
  }
}

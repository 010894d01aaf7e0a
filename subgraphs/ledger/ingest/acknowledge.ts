import type { Acknowledger, AdapterItem, ItemOutcome } from '../formats/index.js';
import type { AcknowledgementNumbers, IngestAnswer } from './ports.js';

/** Passes items with their outcomes to an acknowledger in reading order; outcomes may arrive later than items. */
export class AcknowledgementFeed {
  readonly #acknowledger: Acknowledger | null;
  #waiting: AdapterItem[] = [];
  readonly #outcomes = new Map<number, ItemOutcome>();

  /** Null for a format without acknowledgements. */
  constructor(acknowledger: Acknowledger | null) {
    this.#acknowledger = acknowledger;
  }

  /** Items that wait for the outcome of an event. */
  get waiting(): number {
    return this.#waiting.length;
  }

  take(item: AdapterItem): void {
    if (this.#acknowledger) this.#waiting.push(item);
  }

  settle(index: number, outcome: ItemOutcome): void {
    if (this.#acknowledger) this.#outcomes.set(index, outcome);
  }

  /** Cuts off the items since the last cut. Release cuts in order, each after its events have outcomes. */
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

  /** The acknowledgement; null if the sender expects none. */
  async finish(
    numbers: AcknowledgementNumbers,
    { format, nowIso }: { readonly format: string; readonly nowIso: string },
  ): Promise<IngestAnswer['acknowledgement']> {
    const acknowledger = this.#acknowledger;
    const count = acknowledger?.count?.() ?? 1;
    // An unused number would be a gap for the receiver.
    if (acknowledger === null || count === 0) return null;
    const controlNumber = String(await numbers.take(format, count));
    const made = acknowledger.finish({ nowIso, controlNumber });
    if (made === null) return null;
    return { format: made.format, media_type: made.mediaType, content: made.text };
  }
}

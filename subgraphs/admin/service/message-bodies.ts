import { nextTurn } from '../../../shared/clock/timers.js';
import type { MessageStore } from './ports/message-store.js';

/** Bodies kept at hand: those of messages that several subscriptions want, and of what was published just now. */
const MOST_KEPT = 2_000;
const MOST_KEPT_BYTES = 16 * 1024 * 1024;

/** Bodies of messages; what many deliveries ask for at one time is read together. A body never changes. */
export class MessageBodies {
  readonly #store: Pick<MessageStore, 'bodies'>;
  /** The longest unused first. */
  readonly #kept = new Map<string, Buffer>();
  #keptBytes = 0;
  #asked = new Set<string>();
  #gathering: Promise<ReadonlyMap<string, Buffer>> | undefined;
  /** What is being read, until it is kept or was not found. */
  readonly #reading = new Map<string, Promise<ReadonlyMap<string, Buffer>>>();

  constructor(store: Pick<MessageStore, 'bodies'>) {
    this.#store = store;
  }

  /** Null when the message is no longer kept. */
  async of(messageId: string): Promise<Buffer | null> {
    return this.#kept.get(messageId) ?? (await this.#readingOf(messageId)).get(messageId) ?? null;
  }

  /** These are asked for soon: one read for all of them. */
  foresee(messageIds: readonly string[]): void {
    for (const messageId of messageIds) {
      // Where it fails, whoever asks for it reads again and meets what went wrong.
      if (!this.#kept.has(messageId)) this.#readingOf(messageId).catch(() => undefined);
    }
  }

  /** To be delivered in a moment. */
  keep(messageId: string, body: Buffer): void {
    if (this.#kept.has(messageId)) return;
    this.#kept.set(messageId, body);
    this.#keptBytes += body.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT && this.#keptBytes <= MOST_KEPT_BYTES) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }

  #readingOf(messageId: string): Promise<ReadonlyMap<string, Buffer>> {
    const known = this.#reading.get(messageId);
    if (known) return known;
    this.#gathering ??= this.#read();
    this.#asked.add(messageId);
    this.#reading.set(messageId, this.#gathering);
    return this.#gathering;
  }

  async #read(): Promise<ReadonlyMap<string, Buffer>> {
    await nextTurn();
    const asked = [...this.#asked];
    this.#asked = new Set();
    this.#gathering = undefined;
    try {
      const found = await this.#store.bodies(asked);
      for (const [messageId, body] of found) this.keep(messageId, body);
      return found;
    } finally {
      for (const messageId of asked) this.#reading.delete(messageId);
    }
  }
}

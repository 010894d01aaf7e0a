import { nextTurn } from '../../../../shared/clock/timers.js';
import type { MessageStore } from './ports.js';

/** Cached bodies: of messages for several webhooks, and of recent messages. */
const MAX_CACHED = 2_000;
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

/** Reads bodies of messages; concurrent requests share one query. A body never changes. */
export class MessageBodies {
  readonly #store: Pick<MessageStore, 'bodies'>;
  /** Oldest first. */
  readonly #cached = new Map<string, Buffer>();
  #cachedBytes = 0;
  #wanted = new Set<string>();
  #gathering: Promise<ReadonlyMap<string, Buffer>> | undefined;
  /** Reads in progress, by message. */
  readonly #reading = new Map<string, Promise<ReadonlyMap<string, Buffer>>>();

  constructor(store: Pick<MessageStore, 'bodies'>) {
    this.#store = store;
  }

  /** @returns null if the message is no longer stored. */
  async of(messageId: string): Promise<Buffer | null> {
    return this.#cached.get(messageId) ?? (await this.#readingOf(messageId)).get(messageId) ?? null;
  }

  /** Reads bodies that deliveries will need soon, in one query. */
  foresee(messageIds: readonly string[]): void {
    for (const messageId of messageIds) {
      // The delivery reads again after a failure and reports it.
      if (!this.#cached.has(messageId)) this.#readingOf(messageId).catch(() => undefined);
    }
  }

  /** Caches the body of a message that is about to be delivered. */
  keep(messageId: string, body: Buffer): void {
    if (this.#cached.has(messageId)) return;
    this.#cached.set(messageId, body);
    this.#cachedBytes += body.length;
    for (const [oldest, { length }] of this.#cached) {
      if (this.#cached.size <= MAX_CACHED && this.#cachedBytes <= MAX_CACHED_BYTES) return;
      this.#cached.delete(oldest);
      this.#cachedBytes -= length;
    }
  }

  #readingOf(messageId: string): Promise<ReadonlyMap<string, Buffer>> {
    const known = this.#reading.get(messageId);
    if (known) return known;
    this.#gathering ??= this.#read();
    this.#wanted.add(messageId);
    this.#reading.set(messageId, this.#gathering);
    return this.#gathering;
  }

  async #read(): Promise<ReadonlyMap<string, Buffer>> {
    await nextTurn();
    const wanted = [...this.#wanted];
    this.#wanted = new Set();
    this.#gathering = undefined;
    try {
      const found = await this.#store.bodies(wanted);
      for (const [messageId, body] of found) this.keep(messageId, body);
      return found;
    } finally {
      for (const messageId of wanted) this.#reading.delete(messageId);
    }
  }
}

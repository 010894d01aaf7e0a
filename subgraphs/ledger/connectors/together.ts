import {
  type AcknowledgementNumbers,
  HIGHEST_NUMBER,
  type IngestAnswer,
  type IngestPage,
  type IngestRow,
  type IngestStore,
} from '../ingest/index.js';

// Work shared by messages that are committed together; a message alone would cost ten times as much.

/** Collects saves until `flush` writes them in one round; answers must wait for it. */
export class GatheredIngests implements IngestStore {
  readonly #store: IngestStore;
  readonly #answers: IngestAnswer[] = [];
  readonly #pages: IngestPage[] = [];

  constructor(store: IngestStore) {
    this.#store = store;
  }

  async savePage(ingest_id: string, page: number, rows: readonly IngestRow[]): Promise<void> {
    this.#pages.push({ ingest_id, page, rows });
  }

  async save(answer: IngestAnswer): Promise<IngestAnswer> {
    this.#answers.push(answer);
    return answer;
  }

  saveMany(answers: readonly IngestAnswer[], pages: readonly IngestPage[]): Promise<void> {
    return this.#store.saveMany(answers, pages);
  }

  find(ingestId: string): Promise<IngestAnswer | null> {
    return this.#store.find(ingestId);
  }

  page(ingestId: string, page: number): Promise<readonly IngestRow[] | null> {
    return this.#store.page(ingestId, page);
  }

  flush(): Promise<void> {
    return this.#store.saveMany(this.#answers.splice(0), this.#pages.splice(0));
  }
}

/** Runs one task at a time, in order. */
class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** The lanes of message batches; batches keep their order in each lane. */
export class Lanes {
  readonly storing = new Lane();
  readonly appending = new Lane();
  readonly reporting = new Lane();
  readonly answering = new Lane();
}

/** Numbers reserved at once: one write serves this many answers. */
const BLOCK_NUMBERS = 256;

interface Block {
  next: number;
  left: number;
}

/**
 * Numbers of answers that only need to be unique (MSH-10: HL7 v2.5, 2.15.9.10), so a process may reserve many and leave
 * some unused.
 */
export class ReservedNumbers implements AcknowledgementNumbers {
  readonly #numbers: AcknowledgementNumbers;
  readonly #blocks = new Map<string, Block>();
  #taking: Promise<unknown> = Promise.resolve();

  constructor(numbers: AcknowledgementNumbers) {
    this.#numbers = numbers;
  }

  async take(format: string, count: number): Promise<number> {
    for (;;) {
      const block = this.#blocks.get(format);
      if (block && block.left >= count) {
        const first = block.next;
        block.next = ((first - 1 + count) % HIGHEST_NUMBER) + 1;
        block.left -= count;
        return first;
      }
      // One reservation at a time: waiting callers check again first.
      const before = this.#taking;
      await before.catch(() => {});
      if (this.#taking === before) this.#taking = this.#refill(format, Math.max(count, BLOCK_NUMBERS));
      await this.#taking;
    }
  }

  async #refill(format: string, left: number): Promise<void> {
    const next = await this.#numbers.take(format, left);
    this.#blocks.set(format, { next, left });
  }
}

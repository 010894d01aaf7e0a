import { fail } from '../errors.js';
import type { Execution } from './execution.js';
import type { TimeSlice } from './operation.js';

/** The source of a cursor's documents. */
export interface DocumentStream {
  /** The next document, valid until the next call; undefined at the end (for now, when the stream is tailable). */
  next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined;
  /** Called when the reply is complete: no LMDB reader may stay open until the next one. */
  suspend(): void;
  close(): void;
}

/** Documents returned between two clock checks. */
const DOCUMENTS_PER_LOOK = 128;

export type Projector = (raw: Buffer) => Buffer;

/** The documents of a query, projected. */
export class QueryStream implements DocumentStream {
  #given = 0;
  readonly #project: Projector | undefined;

  constructor(
    readonly execution: Execution,
    project: Projector | undefined,
  ) {
    this.#project = project;
  }

  next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined {
    // A scan in which every document matches never returns `again`, so this checks the clock too.
    if (++this.#given % DOCUMENTS_PER_LOOK === 0 && slice.isOver()) return this.#nextLater(slice);
    for (;;) {
      const step = this.execution.step();
      if (step === 'document') return this.#project ? this.#project(this.execution.raw) : this.execution.raw;
      if (step === 'done') return undefined;
      if (slice.isOver()) return this.#nextLater(slice);
    }
  }

  suspend(): void {
    this.execution.suspend();
  }

  close(): void {
    this.execution.suspend();
  }

  async #nextLater(slice: TimeSlice): Promise<Buffer | undefined> {
    await slice.breathe(() => this.suspend());
    const raw = await this.next(slice);
    return raw && Buffer.from(raw);
  }
}

/** Documents in memory: catalog listings. */
export class ListStream implements DocumentStream {
  #position = 0;
  readonly #documents: readonly Buffer[];

  constructor(documents: readonly Buffer[]) {
    this.#documents = documents;
  }

  next(): Buffer | undefined {
    return this.#documents[this.#position++];
  }

  suspend(): void {
    // The documents are in memory.
  }

  close(): void {
    this.#position = this.#documents.length;
  }
}

/** The output of an aggregation pipeline. Its source holds no LMDB reader between documents. */
export class IteratorStream implements DocumentStream {
  readonly #iterator: AsyncIterator<Buffer>;

  constructor(iterator: AsyncIterator<Buffer>) {
    this.#iterator = iterator;
  }

  async next(): Promise<Buffer | undefined> {
    const step = await this.#iterator.next();
    return step.done ? undefined : step.value;
  }

  suspend(): void {
    // See above.
  }

  close(): void {
    void this.#iterator.return?.();
  }
}

/**
 * Reads a capped collection to its end and waits for more. When the last document read was dropped from the front,
 * unread ones may be gone too: the cursor then ends with an error.
 */
export class TailStream extends QueryStream {
  override next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined {
    if (this.execution.lostPosition())
      fail(136, 'CollectionScan died due to position in capped collection being deleted');
    return super.next(slice);
  }
}

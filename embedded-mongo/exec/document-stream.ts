import type { Execution } from './execution.js';
import type { TimeSlice } from './time-slice.js';

/** Where a cursor's documents come from. */
export interface DocumentStream {
  /** The next document, valid until the next call; undefined at the end (for now, when the stream is tailable). */
  next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined;
  /** Called when the reply is complete: nothing of the store may stay open until the next one. */
  suspend(): void;
  close(): void;
}

/** Documents given out between two looks at the clock. */
const documentsPerLook = 128;

export type Projector = (raw: Buffer) => Buffer;

/** The documents of a query, projected. */
export class QueryStream implements DocumentStream {
  private given = 0;

  constructor(
    readonly execution: Execution,
    private readonly project: Projector | undefined,
  ) {}

  next(slice: TimeSlice): Promise<Buffer | undefined> | Buffer | undefined {
    // Documents that all match never say `again`; the clock is looked at all the same.
    if (++this.given % documentsPerLook === 0 && slice.isOver()) return this.nextLater(slice);
    for (;;) {
      const step = this.execution.step();
      if (step === 'document') return this.project ? this.project(this.execution.raw) : this.execution.raw;
      if (step === 'done') return undefined;
      if (slice.isOver()) return this.nextLater(slice);
    }
  }

  suspend(): void {
    this.execution.suspend();
  }

  close(): void {
    this.execution.suspend();
  }

  private async nextLater(slice: TimeSlice): Promise<Buffer | undefined> {
    await slice.breathe(() => this.suspend());
    const raw = await this.next(slice);
    return raw && Buffer.from(raw);
  }
}

/** Documents already at hand: catalogue listings. */
export class ListStream implements DocumentStream {
  private position = 0;

  constructor(private readonly documents: readonly Buffer[]) {}

  next(): Buffer | undefined {
    return this.documents[this.position++];
  }

  suspend(): void {
    // The documents are in memory.
  }

  close(): void {
    this.position = this.documents.length;
  }
}

/** The output of an aggregation pipeline, whose source holds nothing of the store open between documents. */
export class IteratorStream implements DocumentStream {
  constructor(private readonly iterator: AsyncIterator<Buffer>) {}

  async next(): Promise<Buffer | undefined> {
    const step = await this.iterator.next();
    return step.done ? undefined : step.value;
  }

  suspend(): void {
    // See above.
  }

  close(): void {
    void this.iterator.return?.();
  }
}

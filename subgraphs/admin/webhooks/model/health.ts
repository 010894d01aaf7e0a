/** Shortest time between written successes of one webhook; a busy webhook has hundreds a second. */
const SUCCESS_NOTE_MS = 1_000;
/** Webhooks remembered; beyond it the memory is cleared, which costs one write each. */
const MAX_REMEMBERED = 10_000;

/**
 * Decides which successes this process writes: none within a second of the last written one unless a failure came between. The
 * next written success clears failures that other processes note meanwhile.
 */
export class HealthNotes {
  readonly #writtenMs = new Map<string, number>();

  /** Returns whether to write this success. */
  success(webhookId: string, atMs: number): boolean {
    const writtenMs = this.#writtenMs.get(webhookId);
    if (writtenMs !== undefined && Math.abs(atMs - writtenMs) < SUCCESS_NOTE_MS) return false;
    if (this.#writtenMs.size >= MAX_REMEMBERED) this.#writtenMs.clear();
    this.#writtenMs.set(webhookId, atMs);
    return true;
  }

  failure(webhookId: string): void {
    this.#writtenMs.delete(webhookId);
  }
}

/** Failures of one webhook in one write. */
export interface Failures {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/**
 * Groups failures that occur during a write of the same webhook into the next write: all requests to a silent receiver fail at
 * the same time.
 */
export class FailureNotes<T> {
  readonly #write: (webhookId: string, failures: Failures) => Promise<T>;
  readonly #writing = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, { failures: Failures; readonly written: Promise<T> }>();

  constructor(write: (webhookId: string, failures: Failures) => Promise<T>) {
    this.#write = write;
  }

  /** Resolves with the result of the write that includes this failure. */
  add(webhookId: string, at: Date): Promise<T> {
    const waiting = this.#waiting.get(webhookId);
    if (waiting) {
      waiting.failures = merged(waiting.failures, at);
      return waiting.written;
    }
    const alone = { count: 1, first: at, last: at };
    const before = this.#writing.get(webhookId);
    if (before === undefined) return this.#begin(webhookId, alone);
    const settled = before.then(
      () => undefined,
      () => undefined,
    );
    const written = settled.then(() => {
      const { failures = alone } = this.#waiting.get(webhookId) ?? {};
      this.#waiting.delete(webhookId);
      return this.#begin(webhookId, failures);
    });
    this.#waiting.set(webhookId, { failures: alone, written });
    return written;
  }

  async #begin(webhookId: string, failures: Failures): Promise<T> {
    const writing = this.#write(webhookId, failures);
    this.#writing.set(webhookId, writing);
    try {
      return await writing;
    } finally {
      if (this.#writing.get(webhookId) === writing) this.#writing.delete(webhookId);
    }
  }
}

const merged = ({ count, first, last }: Failures, at: Date): Failures => ({
  count: count + 1,
  first: at < first ? at : first,
  last: at > last ? at : last,
});

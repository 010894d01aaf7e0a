/**
 * Runs a bounded number of writes at the same time, so that their waits for the disk overlap and the database flushes them
 * together.
 */
export class WritesInFlight {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Starts a write when the number of running writes allows it. @throws the error of an earlier write */
  async add(write: () => Promise<unknown>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#throwFailure();
    const running: Promise<void> = write().then(
      () => void this.#running.delete(running),
      (error: unknown) => {
        this.#running.delete(running);
        this.#failures.push(error);
      },
    );
    this.#running.add(running);
  }

  /** Waits until every write is acknowledged. @throws the error of a failed write */
  async done(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  /** Waits until no write is running; ignores failures. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

/**
 * Prefetches items while the caller works on the items before them.
 *
 * @param source an iterable that accepts calls of `next` in advance, like an async generator or a driver cursor
 * @param most limit of prefetched items
 */
export async function* readAhead<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  const coming: Promise<IteratorResult<T>>[] = [];
  const ask = (): void => {
    const next = items.next();
    // The loop below awaits it later; until then a failure must not count as unhandled.
    next.catch(() => undefined);
    coming.push(next);
  };
  try {
    while (coming.length < most) ask();
    for (let next = await coming.shift(); next?.done === false; next = await coming.shift()) {
      ask();
      yield next.value;
    }
  } finally {
    await items.return?.();
  }
}

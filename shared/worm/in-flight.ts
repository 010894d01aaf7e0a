/**
 * Writes of which several are under way at once, in bounded number: each one's wait for the disk is passed by the others,
 * and the database flushes them together.
 */
export class WritesInFlight {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins a write as soon as there is room. @throws what one of those before it failed with. */
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

  /** Every write has been acknowledged. @throws what one of them failed with. */
  async done(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  /** Nothing is under way any more, whatever became of it. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

/**
 * The same items, fetched while those before them are worked on.
 *
 * @param source takes calls of `next` in advance, as async generators and the driver's cursors do.
 * @param most how many wait at once.
 */
export async function* readAhead<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  const coming: Promise<IteratorResult<T>>[] = [];
  const ask = (): void => {
    const next = items.next();
    // Awaited when its turn comes: until then a failure of it is nobody's.
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

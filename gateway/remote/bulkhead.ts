/**
 * Bounds what one subgraph can hold of this process: so many calls at once, so many waiting; one more is refused at
 * once, so that a slow subgraph cannot drown the others.
 */
export class Bulkhead {
  readonly #maxConcurrent: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxConcurrent: number, maxWaiting: number) {
    this.#maxConcurrent = maxConcurrent;
    this.#maxWaiting = maxWaiting;
  }

  /** Runs `task` when there is room; undefined, and `task` is not run, when even the queue is full. */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#running >= this.#maxConcurrent) {
      if (this.#waiting.length >= this.#maxWaiting) return undefined;
      // The finished call passes its place on, so the count does not change.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

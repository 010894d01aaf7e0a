export type ReadContent = (sha256: string) => AsyncIterable<Buffer>;

interface Prefetch {
  readonly n: number;
  readonly items: AsyncIterator<Buffer>;
  readonly first: Promise<IteratorResult<Buffer>>;
}

/**
 * Reads contents one after another, and prefetches the first blocks of the next one.
 * Many small documents would otherwise cost many waits. Prefetches at most one content.
 */
export class ContentsAhead {
  readonly #sha256s: readonly string[];
  readonly #read: ReadContent;
  #prefetched: Prefetch | undefined;

  constructor(sha256s: readonly string[], read: ReadContent) {
    this.#sha256s = sha256s;
    this.#read = read;
  }

  /** @param n index of the content */
  async *read(n: number): AsyncGenerator<Buffer> {
    const current = await this.#take(n);
    if (current === undefined) throw new RangeError(`there is no content ${n}`);
    this.#prefetched = this.#begin(n + 1);
    try {
      for (let next = await current.first; next.done !== true; next = await current.items.next()) yield next.value;
    } finally {
      await current.items.return?.();
    }
  }

  /** Ends the prefetch; nothing can be read afterwards. */
  async close(): Promise<void> {
    const prefetched = this.#prefetched;
    this.#prefetched = undefined;
    await prefetched?.items.return?.();
  }

  async #take(n: number): Promise<Prefetch | undefined> {
    const prefetched = this.#prefetched;
    this.#prefetched = undefined;
    if (prefetched?.n === n) return prefetched;
    await prefetched?.items.return?.();
    return this.#begin(n);
  }

  #begin(n: number): Prefetch | undefined {
    const sha256 = this.#sha256s[n];
    if (sha256 === undefined) return undefined;
    const items = this.#read(sha256)[Symbol.asyncIterator]();
    const first = items.next();
    // Awaited by the read of this content; until then its failure has no handler.
    first.catch(() => undefined);
    return { n, items, first };
  }
}

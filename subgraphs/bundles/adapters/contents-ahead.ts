export type ReadContent = (sha256: string) => AsyncIterable<Buffer>;

interface Begun {
  readonly n: number;
  readonly items: AsyncIterator<Buffer>;
  readonly first: Promise<IteratorResult<Buffer>>;
}

/**
 * Contents that are read one after another. The next one is looked up, and its first blocks are fetched, while the one
 * before it is read: many small documents would otherwise be many waits. At most one is begun in advance.
 */
export class ContentsAhead {
  readonly #sha256s: readonly string[];
  readonly #read: ReadContent;
  #begun: Begun | undefined;

  constructor(sha256s: readonly string[], read: ReadContent) {
    this.#sha256s = sha256s;
    this.#read = read;
  }

  /** @param n its place among them. */
  async *read(n: number): AsyncGenerator<Buffer> {
    const current = await this.#taken(n);
    if (current === undefined) throw new RangeError(`there is no content ${n}`);
    this.#begun = this.#begin(n + 1);
    try {
      for (let next = await current.first; next.done !== true; next = await current.items.next()) yield next.value;
    } finally {
      await current.items.return?.();
    }
  }

  /** Ends what was begun in advance; nothing is read after that. */
  async close(): Promise<void> {
    const begun = this.#begun;
    this.#begun = undefined;
    await begun?.items.return?.();
  }

  async #taken(n: number): Promise<Begun | undefined> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun?.n === n) return begun;
    await begun?.items.return?.();
    return this.#begin(n);
  }

  #begin(n: number): Begun | undefined {
    const sha256 = this.#sha256s[n];
    if (sha256 === undefined) return undefined;
    const items = this.#read(sha256)[Symbol.asyncIterator]();
    const first = items.next();
    // Awaited when its turn comes: until then a failure of it is nobody's.
    first.catch(() => undefined);
    return { n, items, first };
  }
}

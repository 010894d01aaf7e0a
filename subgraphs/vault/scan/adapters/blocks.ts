import type { ScannedContent } from '../ports.js';

const BLOCK_BYTES = 1_048_576;
const KEPT_BLOCKS = 4;

/** Random access to content, with a cache of the last few blocks. */
export class Blocks {
  readonly #content: Pick<ScannedContent, 'size' | 'read'>;
  readonly #kept = new Map<number, Buffer>();

  constructor(content: Pick<ScannedContent, 'size' | 'read'>) {
    this.#content = content;
  }

  get size(): number {
    return this.#content.size;
  }

  /** Returns the bytes of a range, clipped to the content. */
  async bytes(start: number, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(start, end)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Yields the same bytes in pieces. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    const last = Math.min(end, this.size);
    for (let at = Math.max(0, start); at < last; ) {
      const n = Math.floor(at / BLOCK_BYTES);
      const block = await this.#block(n);
      const piece = block.subarray(at - n * BLOCK_BYTES, Math.min(last - n * BLOCK_BYTES, block.length));
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  }

  async #block(n: number): Promise<Buffer> {
    const known = this.#kept.get(n);
    if (known) return known;
    const pieces: Buffer[] = [];
    const range = { start: n * BLOCK_BYTES, end: Math.min((n + 1) * BLOCK_BYTES, this.size) };
    for await (const piece of this.#content.read(range)) pieces.push(piece);
    const block = Buffer.concat(pieces);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT_BLOCKS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(n, block);
    return block;
  }
}

/** Wraps bytes in memory, for an archive inside an archive. */
export const blocksOver = (bytes: Buffer): Blocks =>
  new Blocks({
    size: bytes.length,
    read: async function* (range = { start: 0, end: bytes.length }) {
      yield bytes.subarray(range.start, range.end);
    },
  });

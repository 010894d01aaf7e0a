import { foldRight, HASH_BYTES, nodeHash } from './hashes.js';
import { assertTreeSize, coverOf } from './places.js';

/**
 * The right edge of a growing tree: one hash for each perfect subtree that covers its leaves. Appending costs two hashes
 * on average, and the root is one fold away; everything further left is never needed again.
 */
export class CompactRange {
  #size: number;
  readonly #hashes: Buffer[];

  /** @param hashes of the perfect subtrees of `size` leaves, larger ones first (`coverOf`). */
  constructor(size = 0, hashes: readonly Uint8Array[] = []) {
    assertTreeSize(size);
    if (hashes.length !== coverOf(0, size).length || hashes.some((hash) => hash.length !== HASH_BYTES)) {
      throw new RangeError('these hashes do not cover a tree of this size');
    }
    this.#size = size;
    this.#hashes = hashes.map((hash) => Buffer.from(hash));
  }

  get size(): number {
    return this.#size;
  }

  /** Of the perfect subtrees, larger ones first. */
  get hashes(): readonly Buffer[] {
    return this.#hashes;
  }

  append(leaf: Uint8Array): void {
    let joined: Buffer = Buffer.from(leaf);
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      const left = this.#hashes.pop();
      if (!left) throw new RangeError('a compact range without its left side');
      joined = nodeHash(left, joined);
    }
    this.#hashes.push(joined);
    this.#size++;
  }

  root(): Buffer {
    return foldRight(this.#hashes);
  }

  copy(): CompactRange {
    return new CompactRange(this.#size, this.#hashes);
  }
}

import { EMPTY_SUBTREE, MAP_HASH_BYTES, mapLeafHash, mapNodeHash } from './hashes.js';

/** First bit in which two keys differ. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < MAP_HASH_BYTES; i++) {
    const difference = (a[i] ?? 0) ^ (b[i] ?? 0);
    if (difference !== 0) return i * 8 + Math.clz32(difference) - 24;
  }
  return -1;
}

interface Open {
  readonly hash: Buffer;
  /** Depth of the lowest subtree that holds these keys alone. */
  readonly depth: number;
}

/**
 * Computes the root of a map from its keys in ascending order, in the memory of one path. This is the definition of
 * docs/evidence.md read from the leaves up: no node is stored or read.
 */
export class MapRootBuilder {
  /** Finished left subtrees, and the bit at which each splits from what follows. */
  readonly #lefts: { readonly hash: Buffer; readonly split: number }[] = [];
  #key: Buffer | null = null;
  #open: Open | null = null;

  /** @throws RangeError for a key that is not greater than the one before */
  add(key: Buffer, value: Buffer): void {
    const leaf = { hash: mapLeafHash(key, value), depth: 8 * MAP_HASH_BYTES };
    if (this.#key !== null && this.#open !== null) {
      const split = firstDifference(this.#key, key);
      if (split < 0 || Buffer.compare(this.#key, key) > 0) throw new RangeError('the keys of a map are not sorted');
      this.#lefts.push({ hash: this.#lifted(this.#closeBelow(split), split + 1), split });
    }
    this.#key = Buffer.from(key);
    this.#open = leaf;
  }

  root(): Buffer {
    if (this.#open === null) return EMPTY_SUBTREE;
    const top = this.#closeBelow(-1);
    return this.#lifted(top, 0);
  }

  /** Joins the open subtree with every left one that splits below a bit. */
  #closeBelow(bit: number): Open {
    let open = this.#open ?? { hash: EMPTY_SUBTREE, depth: 0 };
    for (let left = this.#lefts.at(-1); left !== undefined && left.split > bit; left = this.#lefts.at(-1)) {
      this.#lefts.pop();
      open = { hash: mapNodeHash(left.hash, this.#lifted(open, left.split + 1)), depth: left.split };
    }
    return open;
  }

  /** The hash of a subtree seen from a depth above: a leaf rises as it is, a branch has empty siblings on the way. */
  #lifted({ hash, depth }: Open, to: number): Buffer {
    if (depth === 8 * MAP_HASH_BYTES) return hash;
    let lifted = hash;
    for (let bit = depth - 1; bit >= to; bit--) {
      lifted = this.#bit(bit) === 0 ? mapNodeHash(lifted, EMPTY_SUBTREE) : mapNodeHash(EMPTY_SUBTREE, lifted);
    }
    return lifted;
  }

  #bit(bit: number): number {
    return ((this.#key?.[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1;
  }
}

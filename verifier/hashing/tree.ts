import type { Platform } from '../platform.js';

// RFC 6962 section 2.1 and RFC 9162 sections 2.1.3.2 and 2.1.4.2. Positions alone decide the shape of a proof, so a proof
// of another shape than its tree's fails.

export const HASH_BYTES = 32;

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Hashes leaves and nodes with their prefixes, in reused buffers. */
export class TreeHasher {
  readonly #leaf = new Uint8Array(1 + HASH_BYTES);
  readonly #node = new Uint8Array(1 + 2 * HASH_BYTES);

  constructor(private readonly platform: Platform) {
    this.#node[0] = 1;
  }

  /** H(0x00 ‖ entry_hash). */
  leaf(entry: Uint8Array): Uint8Array {
    this.#leaf.set(entry, 1);
    return this.platform.sha256(this.#leaf);
  }

  /** H(0x01 ‖ left ‖ right). */
  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    this.#node.set(left, 1);
    this.#node.set(right, 1 + HASH_BYTES);
    return this.platform.sha256(this.#node);
  }

  empty(): Uint8Array {
    return this.platform.sha256(new Uint8Array(0));
  }

  /** Returns the root of a path from a node at `index` among `size`; undefined for a path of another shape. */
  climb(start: Uint8Array, index: number, size: number, path: readonly Uint8Array[]): Uint8Array | undefined {
    let node = index;
    let last = size - 1;
    let joined = start;
    for (const sibling of path) {
      if (last === 0) return undefined;
      if (isOdd(node) || node === last) {
        joined = this.node(sibling, joined);
        while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
      } else {
        joined = this.node(joined, sibling);
      }
      [node, last] = [half(node), half(last)];
    }
    return last === 0 ? joined : undefined;
  }

  /** Returns true if the second tree begins with the leaves of the first. */
  isConsistent(first: Tree, second: Tree, proof: readonly Uint8Array[]): boolean {
    if (first.size === second.size) return proof.length === 0 && sameBytes(first.root, second.root);
    if (first.size === 0) return proof.length === 0 && sameBytes(first.root, this.empty());
    let node = first.size - 1;
    let last = second.size - 1;
    while (isOdd(node)) [node, last] = [half(node), half(last)];
    const [seed, ...path] = node === 0 ? [first.root, ...proof] : proof;
    if (seed === undefined) return false;
    let a = seed;
    let b = seed;
    for (const sibling of path) {
      if (last === 0) return false;
      if (isOdd(node) || node === last) {
        a = this.node(sibling, a);
        b = this.node(sibling, b);
        while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
      } else {
        b = this.node(b, sibling);
      }
      [node, last] = [half(node), half(last)];
    }
    return last === 0 && sameBytes(a, first.root) && sameBytes(b, second.root);
  }
}

export interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

import type { Platform } from '../platform.js';
import { joined, utf8 } from '../text/bytes.js';
import { HASH_BYTES, sameBytes } from './tree.js';

// Keys, values and multiproofs of the state map (docs/evidence.md "State map"), on the hash functions of the platform.

const EMPTY = new Uint8Array(HASH_BYTES);
const NUL = Uint8Array.of(0);
const tagOf = (tag: string): Uint8Array => utf8(`eas:${tag}:v1\0`);
const [KEY_TAG, VALUE_TAG, LOG_TAG] = [tagOf('map-key'), tagOf('map-value'), tagOf('map-log')];

export function u64be(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** Hashes of two values behind a tag, in one reused buffer. */
class PairHasher {
  readonly #input: Uint8Array;
  readonly #at: number;

  constructor(
    private readonly platform: Platform,
    tag: string,
  ) {
    this.#input = joined(tagOf(tag), EMPTY, EMPTY);
    this.#at = this.#input.length - 2 * HASH_BYTES;
  }

  hash(first: Uint8Array, second: Uint8Array): Uint8Array {
    this.#input.set(first, this.#at);
    this.#input.set(second, this.#at + HASH_BYTES);
    return this.platform.sha256(this.#input);
  }
}

export class MapHasher {
  readonly #leaf: PairHasher;
  readonly #node: PairHasher;
  readonly #kinds = new Map<string, Uint8Array>();

  constructor(private readonly platform: Platform) {
    this.#leaf = new PairHasher(platform, 'map-leaf');
    this.#node = new PairHasher(platform, 'map-node');
  }

  key(kind: string, x: string): Uint8Array {
    let prefix = this.#kinds.get(kind);
    if (prefix === undefined) {
      prefix = joined(KEY_TAG, utf8(kind), NUL);
      this.#kinds.set(kind, prefix);
    }
    return this.platform.sha256(joined(prefix, utf8(x)));
  }

  stateValue(kind: string, treeIndex: number, entryHash: Uint8Array): Uint8Array {
    return this.platform.sha256(joined(VALUE_TAG, utf8(kind), u64be(treeIndex), entryHash));
  }

  logValue(count: number, root: Uint8Array): Uint8Array {
    return this.platform.sha256(joined(LOG_TAG, u64be(count), root));
  }

  leaf(key: Uint8Array, value: Uint8Array): Uint8Array {
    return this.#leaf.hash(key, value);
  }

  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    return this.#node.hash(left, right);
  }
}

/** A key that the bundle rests on, with its value; null for an absent key. */
interface Claim {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** Claims in the order of their keys, read one at a time. */
interface SortedClaims {
  readonly length: number;
  at(i: number): Claim;
}

/** The proof does not hold; the message says why. */
export class MultiproofFault extends Error {}

interface Subtree {
  readonly hash: Uint8Array;
  /** Neither empty nor a single leaf. */
  readonly isBranch: boolean;
  readonly isEmpty: boolean;
}

const bitAt = (key: Uint8Array, bit: number): number => ((key[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;

function sharesBits(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  for (let bit = 0; bit < bits; bit++) if (bitAt(a, bit) !== bitAt(b, bit)) return false;
  return true;
}

/** A range of claims below a subtree. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** A branch of which a side is still to be read. */
interface OpenBranch extends Range {
  readonly middle: number;
  left: Subtree | null;
}

/** Bytes that follow a token. */
const CONTENT = [0, HASH_BYTES, 2 * HASH_BYTES, 0, 0] as const;
const BRANCH = 4;

/** Verifies a multiproof, of which pieces arrive one after the other; holds one path of the map in memory. */
export class Multiproof {
  readonly #open: OpenBranch[] = [];
  #next: Range;
  #root: Uint8Array | null = null;

  constructor(
    private readonly hasher: MapHasher,
    private readonly claims: SortedClaims,
  ) {
    this.#next = { from: 0, to: claims.length, depth: 0 };
  }

  /** @param bytes whole tokens. @throws MultiproofFault */
  read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#root !== null) throw new MultiproofFault('the proof has further tokens');
      const token = bytes[at] ?? 0;
      const end = at + 1 + (CONTENT[token] ?? Number.POSITIVE_INFINITY);
      if (end > bytes.length) throw new MultiproofFault('an unknown token, or one that is cut');
      if (token === BRANCH) this.#branch(this.#next);
      else this.#close(this.#subtree(token, bytes.slice(at + 1, end), this.#next));
      at = end;
    }
  }

  /** @returns the root that claims and tokens lead to. @throws MultiproofFault */
  root(): Uint8Array {
    if (this.#root === null) throw new MultiproofFault('the proof is cut short');
    return this.#root;
  }

  #branch({ from, to, depth }: Range): void {
    if (from === to) throw new MultiproofFault('a token does not fit the claimed keys');
    if (depth >= 8 * HASH_BYTES) throw new MultiproofFault('deeper than a key');
    const middle = this.#firstRight(from, to, depth);
    this.#open.push({ from, middle, to, depth, left: null });
    this.#next = { from, to: middle, depth: depth + 1 };
  }

  #subtree(token: number, content: Uint8Array, { from, to, depth }: Range): Subtree {
    if (token === 0) {
      this.#requireAbsent(from, to);
      return { hash: EMPTY, isBranch: false, isEmpty: true };
    }
    if ((token === 1) !== (from === to)) throw new MultiproofFault('a token does not fit the claimed keys');
    if (token === 1) return { hash: content, isBranch: true, isEmpty: false };
    return token === 2 ? this.#otherLeaf(content, { from, to, depth }) : this.#present(from, to);
  }

  /** Closes every branch that ends with this subtree. */
  #close(last: Subtree): void {
    let subtree = last;
    for (let branch = this.#open.at(-1); branch !== undefined; branch = this.#open.at(-1)) {
      const { left, middle, to, depth } = branch;
      if (left === null) {
        branch.left = subtree;
        this.#next = { from: middle, to, depth: depth + 1 };
        return;
      }
      if (!left.isBranch && !subtree.isBranch && (left.isEmpty || subtree.isEmpty))
        throw new MultiproofFault('a branch has fewer than two keys');
      this.#open.pop();
      subtree = { hash: this.hasher.node(left.hash, subtree.hash), isBranch: true, isEmpty: false };
    }
    this.#root = subtree.hash;
  }

  /** The first claim with bit 1 at the depth; the claims are sorted. */
  #firstRight(from: number, to: number, depth: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bitAt(this.claims.at(middle).key, depth) === 1) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #otherLeaf(content: Uint8Array, { from, to, depth }: Range): Subtree {
    const [key, value] = [content.slice(0, HASH_BYTES), content.slice(HASH_BYTES)];
    if (!sharesBits(key, this.claims.at(from).key, depth)) throw new MultiproofFault('a leaf is not below its subtree');
    this.#requireAbsent(from, to);
    for (let i = from; i < to; i++)
      if (sameBytes(this.claims.at(i).key, key))
        throw new MultiproofFault('a key that is claimed to be absent is present');
    return { hash: this.hasher.leaf(key, value), isBranch: false, isEmpty: false };
  }

  #present(from: number, to: number): Subtree {
    let found: Claim | undefined;
    for (let i = from; i < to; i++) {
      const claim = this.claims.at(i);
      if (claim.value === null) continue;
      if (found !== undefined) throw new MultiproofFault('one leaf is not two keys');
      found = claim;
    }
    if (found?.value == null) throw new MultiproofFault('a key that is claimed to be absent is present');
    return { hash: this.hasher.leaf(found.key, found.value), isBranch: false, isEmpty: false };
  }

  #requireAbsent(from: number, to: number): void {
    for (let i = from; i < to; i++)
      if (this.claims.at(i).value !== null) throw new MultiproofFault('a key with a value is absent');
  }
}

/** Collects claims in 72 bytes each, and sorts them. */
export class ClaimStore implements SortedClaims {
  #keys = new Uint8Array(64 * HASH_BYTES);
  #values = new Uint8Array(64 * HASH_BYTES);
  #present = new Uint8Array(64);
  #order: Uint32Array | undefined;
  length = 0;

  add({ key, value }: Claim): void {
    if (this.length === this.#present.length) this.#grow();
    this.#keys.set(key, this.length * HASH_BYTES);
    if (value !== null) this.#values.set(value, this.length * HASH_BYTES);
    this.#present[this.length++] = value === null ? 0 : 1;
  }

  /** Sorts the claims by key, once all are added. @returns false if a key is claimed twice */
  sort(): boolean {
    const keys = new DataView(this.#keys.buffer);
    const order = Uint32Array.from({ length: this.length }, (_, i) => i);
    const compare = (a: number, b: number): number => {
      for (let byte = 0; byte < HASH_BYTES; byte += 4) {
        const difference = keys.getUint32(a * HASH_BYTES + byte) - keys.getUint32(b * HASH_BYTES + byte);
        if (difference !== 0) return difference;
      }
      return 0;
    };
    order.sort(compare);
    this.#order = order;
    return order.every((one, i) => i === 0 || compare(order[i - 1] ?? 0, one) !== 0);
  }

  at(i: number): Claim {
    const place = this.#order?.[i] ?? i;
    const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
    return { key: cut(this.#keys), value: this.#present[place] === 1 ? cut(this.#values) : null };
  }

  #grow(): void {
    const doubled = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      return larger;
    };
    [this.#keys, this.#values, this.#present] = [doubled(this.#keys), doubled(this.#values), doubled(this.#present)];
  }
}

import { HASH_BYTES } from '../hashing/tree.js';
import { fromHex, toHex } from '../text/bytes.js';

export type EventState = 'INCLUDED' | 'REDACTED' | 'DISPOSED';
const STATES: readonly EventState[] = ['INCLUDED', 'REDACTED', 'DISPOSED'];

interface ListedEvent {
  readonly entryHash: string;
  readonly treeIndex: number;
  readonly memberTag: string | null;
  readonly state: EventState;
}

/** The events of a bundle by their number, in 46 bytes each: logs name them in another order. */
export class ListedEvents {
  #hashes = new Uint8Array(64 * HASH_BYTES);
  #indexes = new Float64Array(64);
  #tags = new Uint32Array(64);
  #states = new Uint8Array(64);
  #logged = new Uint8Array(64);
  readonly #tagNumbers = new Map<string | null, number>();
  readonly #knownTags: (string | null)[] = [];
  length = 0;

  add(entryHash: string, treeIndex: number, memberTag: string | null, state: EventState): void {
    if (this.length === this.#states.length) this.#grow();
    let tag = this.#tagNumbers.get(memberTag);
    if (tag === undefined) {
      tag = this.#knownTags.push(memberTag) - 1;
      this.#tagNumbers.set(memberTag, tag);
    }
    this.#hashes.set(fromHex(entryHash), this.length * HASH_BYTES);
    this.#indexes[this.length] = treeIndex;
    this.#tags[this.length] = tag;
    this.#states[this.length++] = STATES.indexOf(state);
  }

  at(i: number): ListedEvent | undefined {
    if (i >= this.length) return undefined;
    return {
      entryHash: toHex(this.#hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
      treeIndex: this.#indexes[i] ?? 0,
      memberTag: this.#knownTags[this.#tags[i] ?? 0] ?? null,
      state: STATES[this.#states[i] ?? 0] ?? 'INCLUDED',
    };
  }

  /** Marks an event as a leaf of a log. */
  log(i: number): void {
    this.#logged[i] = 1;
  }

  *unlogged(): Generator<number> {
    for (let i = 0; i < this.length; i++) if (this.#logged[i] === 0) yield i;
  }

  #grow(): void {
    const size = 2 * this.#states.length;
    const copied = <T extends { set(from: T): void }>(larger: T, from: T): T => {
      larger.set(from);
      return larger;
    };
    this.#hashes = copied(new Uint8Array(size * HASH_BYTES), this.#hashes);
    this.#indexes = copied(new Float64Array(size), this.#indexes);
    this.#tags = copied(new Uint32Array(size), this.#tags);
    this.#states = copied(new Uint8Array(size), this.#states);
    this.#logged = copied(new Uint8Array(size), this.#logged);
  }
}

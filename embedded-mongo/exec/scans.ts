import type { Collection } from '../catalog/collection.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import { prefixKey, readRid, recordKey } from '../store/keys.js';

/**
 * Walks documents in the order of a collection or an index. A scan holds no LMDB reader across event turns: `suspend`
 * closes it, and `next` continues after the last key, whatever was written meanwhile.
 */
export interface DocumentScan {
  /** The document that `next` moved to. */
  readonly rid: number;
  /** Its bytes, valid only until the next read from the store. */
  readonly raw: Buffer;
  readonly keysExamined: number;
  readonly docsExamined: number;
  /**
   * True on a document that the scan already returned, after a long run of such documents: the caller checks the clock
   * and reads nothing.
   */
  readonly repeated: boolean;
  next(): boolean;
  suspend(): void;
}

/** The longest run of already returned documents that a scan passes before it pauses. */
export const MAX_REPEATS = 256;

/** Rids tried one by one before a range read: gaps are rare, so a get is faster than a range. */
const MAX_GUESSES = 4;

/** All documents in natural order (order of insertion), or backwards. */
export class CollectionScan implements DocumentScan {
  raw: Buffer = Buffer.alloc(0);
  readonly keysExamined = 0;
  readonly repeated = false;
  docsExamined = 0;
  rid: number;
  readonly #store: DocumentStore;
  readonly #data: Bytes;
  readonly #collection: Collection;
  readonly #direction: 1 | -1;

  constructor(store: DocumentStore, data: Bytes, collection: Collection, direction: 1 | -1) {
    this.#store = store;
    this.#data = data;
    this.#collection = collection;
    this.#direction = direction;
    this.rid = direction > 0 ? 0 : collection.counters.nextRid;
  }

  next(): boolean {
    for (let step = 1; step <= MAX_GUESSES; step++) {
      const rid = this.rid + step * this.#direction;
      if (rid < 1 || rid >= this.#collection.counters.nextRid) return false;
      if (this.#moveTo(rid)) return true;
    }
    const rid = this.#seek();
    return rid !== undefined && this.#moveTo(rid);
  }

  suspend(): void {
    // Nothing is kept open.
  }

  #moveTo(rid: number): boolean {
    const raw = this.#store.peek(this.#collection.id, rid);
    if (!raw) return false;
    this.rid = rid;
    this.raw = raw;
    this.docsExamined += 1;
    return true;
  }

  #seek(): number | undefined {
    const { id } = this.#collection;
    const options =
      this.#direction > 0
        ? { start: recordKey(id, this.rid + 1), end: prefixKey(id + 1), limit: 1 }
        : { start: recordKey(id, this.rid - 1), end: prefixKey(id), reverse: true, limit: 1 };
    for (const key of this.#data.getKeys(options)) return readRid(key, 4);
    return undefined;
  }
}

const PAGE_BITS = 11;
const PAGE_BYTES = 2 ** PAGE_BITS / 8;

/**
 * Rids already seen, one bit each: a million take 128 KiB. Growing never copies the existing bits in one long pause,
 * as a Set would.
 */
export class RidSet {
  readonly #pages = new Map<number, Uint8Array>();

  /** Adds a rid; returns false when it is already present. */
  add(rid: number): boolean {
    const pageNumber = Math.floor(rid / 2 ** PAGE_BITS);
    const within = rid % 2 ** PAGE_BITS;
    let page = this.#pages.get(pageNumber);
    if (!page) {
      page = new Uint8Array(PAGE_BYTES);
      this.#pages.set(pageNumber, page);
    }
    const at = within >> 3;
    const bit = 1 << (within & 7);
    const byte = page[at] ?? 0;
    if ((byte & bit) !== 0) return false;
    page[at] = byte | bit;
    return true;
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Concatenates several scans and returns each document once, for an `$or` with an index for each branch. */
export class UnionScan implements DocumentScan {
  raw: Buffer = NO_BYTES;
  rid = 0;
  repeated = false;
  #position = 0;
  readonly #seen = new RidSet();

  constructor(readonly branches: readonly DocumentScan[]) {}

  get keysExamined(): number {
    return this.branches.reduce((sum, branch) => sum + branch.keysExamined, 0);
  }

  get docsExamined(): number {
    return this.branches.reduce((sum, branch) => sum + branch.docsExamined, 0);
  }

  next(): boolean {
    this.repeated = false;
    let repeats = 0;
    for (let branch = this.branches[this.#position]; branch; branch = this.branches[++this.#position]) {
      while (branch.next()) {
        if (branch.repeated || !this.#seen.add(branch.rid)) {
          this.repeated = branch.repeated || ++repeats === MAX_REPEATS;
          if (this.repeated) return true;
          continue;
        }
        this.rid = branch.rid;
        this.raw = branch.raw;
        return true;
      }
    }
    return false;
  }

  suspend(): void {
    this.branches[this.#position]?.suspend();
  }
}

import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import type { IndexAccess, KeyRange } from '../planner/plan.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import { entryPrefix, PREFIX_BYTES, RID_BYTES, readRid } from '../store/keys.js';
import type { TimeSlice } from './operation.js';
import { type DocumentScan, MAX_REPEATS, RidSet } from './scans.js';

const NO_BYTES = Buffer.alloc(0);

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Returns documents by the index entries within ranges, each document once. */
export class IndexScan implements DocumentScan {
  raw: Buffer = NO_BYTES;
  rid = 0;
  keysExamined = 0;
  docsExamined = 0;
  readonly #ranges: readonly KeyRange[];
  #position = 0;
  #open: Iterator<Entry | Buffer> | undefined;
  /** The first entry of a range, if it must be skipped. */
  #excluded: Buffer | undefined;
  #lastKey: Buffer | undefined;
  repeated = false;
  /** In a multikey index one document may occur under several keys. */
  readonly #seen: RidSet | undefined;
  readonly #store: DocumentStore;
  readonly #data: Bytes;
  readonly #collection: Collection;
  readonly #index: Index;
  readonly #direction: 1 | -1;

  constructor(
    store: DocumentStore,
    data: Bytes,
    collection: Collection,
    index: Index,
    ranges: readonly KeyRange[],
    direction: 1 | -1,
  ) {
    this.#store = store;
    this.#data = data;
    this.#collection = collection;
    this.#index = index;
    this.#direction = direction;
    this.#ranges = direction > 0 ? ranges : ranges.toReversed();
    this.#seen = index.multikey ? new RidSet() : undefined;
  }

  next(): boolean {
    while (this.nextRid()) if (this.repeated || this.fetch()) return true;
    return false;
  }

  /** Reads the document of the current entry; returns false when it is gone. */
  fetch(): boolean {
    const raw = this.#store.peek(this.#collection.id, this.rid);
    if (!raw) return false;
    this.raw = raw;
    this.docsExamined += 1;
    return true;
  }

  /** The indexed values of the current entry. */
  keyString(): Buffer {
    const range = this.#ranges[this.#position];
    if (!this.#lastKey || !range) return NO_BYTES;
    return range.point && this.#index.unique ? range.lower : keyStringOf(this.#lastKey, this.#index.unique);
  }

  /** Moves to the next entry without reading its document: enough for counting and for deleting by key. */
  nextRid(): boolean {
    this.repeated = false;
    for (let repeats = 0; ; ) {
      const range = this.#ranges[this.#position];
      if (!range) return false;
      const rid = range.point && this.#index.unique ? this.#takePoint(range) : this.#takeFromRange(range);
      if (rid === undefined) {
        this.#position += 1;
        this.#lastKey = undefined;
        continue;
      }
      this.keysExamined += 1;
      if (this.#seen && !this.#seen.add(rid)) {
        this.repeated = ++repeats === MAX_REPEATS;
        if (this.repeated) return true;
        continue;
      }
      this.rid = rid;
      return true;
    }
  }

  suspend(): void {
    this.#open?.return?.();
    this.#open = undefined;
  }

  #takePoint(range: KeyRange): number | undefined {
    if (this.#lastKey) return undefined;
    this.#lastKey = range.lower;
    return this.#store.lookUp(this.#index.id, range.lower);
  }

  #takeFromRange(range: KeyRange): number | undefined {
    this.#open ??= this.#entries(range);
    for (let step = this.#open.next(); !step.done; step = this.#open.next()) {
      // With values only where an entry's rid is its value.
      const key = step.value instanceof Uint8Array ? step.value : step.value.key;
      if (this.#excluded?.equals(key)) continue;
      this.#excluded = undefined;
      this.#lastKey = key;
      return step.value instanceof Uint8Array ? readRid(key, key.length - RID_BYTES) : readRid(step.value.value, 0);
    }
    this.#open = undefined;
    return undefined;
  }

  #entries(range: KeyRange): Iterator<Entry | Buffer> {
    const after = this.#lastKey;
    const lower = entryPrefix(this.#index.id, range.lower);
    const upper = entryPrefix(this.#index.id, range.upper);
    const options =
      this.#direction > 0
        ? { start: after ?? lower, end: upper }
        : { start: after ?? upper, end: lower, reverse: true, inclusiveEnd: true };
    // Downwards, LMDB starts at `upper` itself, which is outside; resumed scans start at the last returned key.
    this.#excluded = after ?? (this.#direction > 0 ? undefined : upper);
    const entries = this.#index.unique ? this.#data.getRange(options) : this.#data.getKeys(options);
    return entries[Symbol.iterator]();
  }
}

/** The part of an entry's key that holds the indexed values. */
export function keyStringOf(key: Buffer, unique: boolean): Buffer {
  return key.subarray(PREFIX_BYTES, unique ? key.length : key.length - RID_BYTES);
}

/** Entries that LMDB skips at once, in about a millisecond. */
const ENTRIES_PER_SKIP = 20_000;

/** Counts the entries in an access's ranges; LMDB skips them in strides without reading them. */
export async function countIndexEntries(data: Bytes, access: IndexAccess, slice: TimeSlice): Promise<number> {
  let n = 0;
  for (const range of access.ranges) {
    const end = entryPrefix(access.index.id, range.upper);
    let start: Buffer | undefined = entryPrefix(access.index.id, range.lower);
    while (start) {
      const [next]: Buffer[] = [...data.getKeys({ start, end, offset: ENTRIES_PER_SKIP, limit: 1 })];
      n += next ? ENTRIES_PER_SKIP : data.getKeysCount({ start, end });
      start = next;
      if (slice.isOver()) await slice.breathe(() => undefined);
    }
  }
  return n;
}

/** The count stops here: longer plans count as equal. */
const ENOUGH_KEYS = 256;
/** Ranges that are counted; the others are estimated from them. */
const PROBED_RANGES = 8;

/** Estimates the keys that a plan would read, to choose between similar plans. */
export function probeKeys(data: Bytes, { index, ranges }: IndexAccess): number {
  const probed = ranges.slice(0, PROBED_RANGES);
  let keys = 0;
  for (const range of probed) {
    const [start, end] = [entryPrefix(index.id, range.lower), entryPrefix(index.id, range.upper)];
    const [beyond] = [...data.getKeys({ start, end, offset: ENOUGH_KEYS, limit: 1 })];
    keys += beyond ? ENOUGH_KEYS : data.getKeysCount({ start, end });
  }
  return probed.length === 0 ? 0 : (keys * ranges.length) / probed.length;
}

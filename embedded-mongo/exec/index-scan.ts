import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import type { KeyRange } from '../planner/plan.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import { entryPrefix, prefixBytes, readRid, ridBytes } from '../store/keys.js';
import { type DocumentScan, maxRepeats } from './document-scan.js';
import { RidSet } from './rid-set.js';

const noBytes = Buffer.alloc(0);

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Documents by the entries of an index within ranges, each document once. */
export class IndexScan implements DocumentScan {
  raw: Buffer = noBytes;
  rid = 0;
  keysExamined = 0;
  docsExamined = 0;
  private readonly ranges: readonly KeyRange[];
  private position = 0;
  private open: Iterator<Entry | Buffer> | undefined;
  /** The first entry of an opened range, where it is not to be given out. */
  private excluded: Buffer | undefined;
  private lastKey: Buffer | undefined;
  repeated = false;
  /** Of a multikey index one document may turn up under several keys. */
  private readonly seen: RidSet | undefined;

  constructor(
    private readonly store: DocumentStore,
    private readonly data: Bytes,
    private readonly collection: Collection,
    private readonly index: Index,
    ranges: readonly KeyRange[],
    private readonly direction: 1 | -1,
  ) {
    this.ranges = direction > 0 ? ranges : ranges.toReversed();
    this.seen = index.multikey ? new RidSet() : undefined;
  }

  next(): boolean {
    while (this.nextRid()) if (this.repeated || this.fetch()) return true;
    return false;
  }

  /** Reads the document of the entry it stands on; false when that is gone. */
  fetch(): boolean {
    const raw = this.store.peek(this.collection.id, this.rid);
    if (!raw) return false;
    this.raw = raw;
    this.docsExamined += 1;
    return true;
  }

  /** The indexed values of the entry it stands on. */
  keyString(): Buffer {
    const range = this.ranges[this.position];
    if (!this.lastKey || !range) return noBytes;
    return range.point && this.index.unique ? range.lower : keyStringOf(this.lastKey, this.index.unique);
  }

  /** Moves to the next entry without reading its document: enough for counting and for deleting by key. */
  nextRid(): boolean {
    this.repeated = false;
    for (let repeats = 0; ; ) {
      const range = this.ranges[this.position];
      if (!range) return false;
      const rid = range.point && this.index.unique ? this.takePoint(range) : this.takeFromRange(range);
      if (rid === undefined) {
        this.position += 1;
        this.lastKey = undefined;
        continue;
      }
      this.keysExamined += 1;
      if (this.seen && !this.seen.add(rid)) {
        this.repeated = ++repeats === maxRepeats;
        if (this.repeated) return true;
        continue;
      }
      this.rid = rid;
      return true;
    }
  }

  suspend(): void {
    this.open?.return?.();
    this.open = undefined;
  }

  private takePoint(range: KeyRange): number | undefined {
    if (this.lastKey) return undefined;
    this.lastKey = range.lower;
    return this.store.lookUp(this.index.id, range.lower);
  }

  private takeFromRange(range: KeyRange): number | undefined {
    this.open ??= this.entries(range);
    for (let step = this.open.next(); !step.done; step = this.open.next()) {
      // With values only where an entry's rid is its value.
      const key = step.value instanceof Uint8Array ? step.value : step.value.key;
      if (this.excluded?.equals(key)) continue;
      this.excluded = undefined;
      this.lastKey = key;
      return step.value instanceof Uint8Array ? readRid(key, key.length - ridBytes) : readRid(step.value.value, 0);
    }
    this.open = undefined;
    return undefined;
  }

  private entries(range: KeyRange): Iterator<Entry | Buffer> {
    const after = this.lastKey;
    const lower = entryPrefix(this.index.id, range.lower);
    const upper = entryPrefix(this.index.id, range.upper);
    const options =
      this.direction > 0
        ? { start: after ?? lower, end: upper }
        : { start: after ?? upper, end: lower, reverse: true, inclusiveEnd: true };
    // Going down, lmdb starts at `upper` itself, which is outside; resumed scans start at the last key given out.
    this.excluded = after ?? (this.direction > 0 ? undefined : upper);
    const entries = this.index.unique ? this.data.getRange(options) : this.data.getKeys(options);
    return entries[Symbol.iterator]();
  }
}

/** The part of an entry's key that holds the indexed values. */
export function keyStringOf(key: Buffer, unique: boolean): Buffer {
  return key.subarray(prefixBytes, unique ? key.length : key.length - ridBytes);
}

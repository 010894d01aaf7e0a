import type { Collection } from '../catalog/collection.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Bytes } from '../store/environment.js';
import { prefixKey, readRid, recordKey } from '../store/keys.js';
import type { DocumentScan } from './document-scan.js';

/** Rids tried one by one before the store is asked for the next one: gaps are rare, so a get beats a range. */
const maxGuesses = 4;

/** All documents in natural order (order of insertion), or backwards. */
export class CollectionScan implements DocumentScan {
  raw: Buffer = Buffer.alloc(0);
  readonly keysExamined = 0;
  readonly repeated = false;
  docsExamined = 0;
  rid: number;

  constructor(
    private readonly store: DocumentStore,
    private readonly data: Bytes,
    private readonly collection: Collection,
    private readonly direction: 1 | -1,
  ) {
    this.rid = direction > 0 ? 0 : collection.counters.nextRid;
  }

  next(): boolean {
    for (let step = 1; step <= maxGuesses; step++) {
      const rid = this.rid + step * this.direction;
      if (rid < 1 || rid >= this.collection.counters.nextRid) return false;
      if (this.moveTo(rid)) return true;
    }
    const rid = this.seek();
    return rid !== undefined && this.moveTo(rid);
  }

  suspend(): void {
    // Nothing is kept open.
  }

  private moveTo(rid: number): boolean {
    const raw = this.store.peek(this.collection.id, rid);
    if (!raw) return false;
    this.rid = rid;
    this.raw = raw;
    this.docsExamined += 1;
    return true;
  }

  private seek(): number | undefined {
    const { id } = this.collection;
    const options =
      this.direction > 0
        ? { start: recordKey(id, this.rid + 1), end: prefixKey(id + 1), limit: 1 }
        : { start: recordKey(id, this.rid - 1), end: prefixKey(id), reverse: true, limit: 1 };
    for (const key of this.data.getKeys(options)) return readRid(key, 4);
    return undefined;
  }
}

import type { Catalog } from '../catalog/catalog.js';
import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import type { CollatedKeys } from '../keystring/collated.js';
import { afterPrefix, cutBounds, cutKey } from '../keystring/encode.js';
import { duplicateKeyError } from './duplicate-key.js';
import type { Bytes } from './environment.js';
import {
  entryKey,
  entryPrefix,
  maxKeyStringBytes,
  prefixKey,
  readRid,
  recordKey,
  recordKeyBytes,
  ridBytes,
  ridValue,
  writeRid,
} from './keys.js';

/** The entries of one document in one index. */
interface EntrySet {
  readonly index: Index;
  readonly keys: readonly Buffer[];
}

const noBytes = Buffer.alloc(0);
const onlyIfAbsent = { noOverwrite: true } as const;

/**
 * Documents and their index entries. Every method that writes checks all it can refuse before its first put (or takes
 * back its own), so a refused document leaves nothing behind; all of them must run inside a write group.
 */
export class DocumentStore {
  private readonly scratchKey = Buffer.alloc(recordKeyBytes);

  constructor(
    private readonly data: Bytes,
    private readonly catalog: Catalog,
  ) {}

  /** A document's bytes, valid only until the next read: lmdb reuses the buffer. */
  peek(collectionId: number, rid: number): Buffer | undefined {
    this.scratchKey.writeUInt32BE(collectionId, 0);
    writeRid(this.scratchKey, rid, 4);
    // lmdb's buffer is longer than it says; the view has its true length for native calls.
    return this.data.getBinaryFast(this.scratchKey)?.subarray();
  }

  /** A copy of a document's bytes. */
  read(collectionId: number, rid: number): Buffer | undefined {
    return this.data.getBinary(recordKey(collectionId, rid));
  }

  insert(collection: Collection, raw: Buffer): number {
    const entries = this.entriesOf(collection, raw);
    for (const set of entries) if (!set.index.unique) this.checkUnique(collection, set, raw, undefined);
    const { counters } = collection;
    const rid = counters.nextRid;
    this.putUniqueEntries(collection, entries, rid, raw);
    counters.nextRid += 1;
    counters.documents += 1;
    counters.sizeBytes += raw.length;
    this.data.putSync(recordKey(collection.id, rid), raw);
    for (const { index, keys } of entries) if (!index.unique) for (const key of keys) this.putEntry(index, key, rid);
    this.catalog.touch(collection);
    if (collection.options.capped) this.trim(collection);
    return rid;
  }

  /**
   * Check and put in one: lmdb tells whether the key was there, and a look-up before every put is spared. A refusal
   * takes back what was put, all of which is this document's own.
   */
  private putUniqueEntries(collection: Collection, entries: readonly EntrySet[], rid: number, raw: Buffer): void {
    const value = ridValue(rid);
    const done: Buffer[] = [];
    for (const { index, keys } of entries) {
      if (!index.unique) continue;
      for (const keyString of keys) {
        const key = entryPrefix(index.id, keyString);
        // Whether it was put; lmdb's type declaration leaves the result out.
        const absent = this.data.putSync(key, value, onlyIfAbsent) as unknown as boolean;
        if (absent) done.push(key);
        else {
          for (const put of done) this.data.removeSync(put);
          throw duplicateKeyError(collection, index, raw, keyString);
        }
      }
    }
  }

  /** Replaces a document in place; entries that stay the same are not touched. */
  replace(collection: Collection, rid: number, before: Buffer, after: Buffer): void {
    const added: EntrySet[] = [];
    const removed: EntrySet[] = [];
    for (const index of collection.indexes) {
      if (index.isUntouched(before, after)) continue;
      const oldKeys = this.keysFor(collection, index, before);
      const newKeys = this.keysFor(collection, index, after);
      added.push({ index, keys: newKeys.filter((key) => !includes(oldKeys, key)) });
      removed.push({ index, keys: oldKeys.filter((key) => !includes(newKeys, key)) });
    }
    for (const set of added) this.checkUnique(collection, set, after, rid);
    for (const set of removed) for (const key of set.keys) this.removeEntry(set.index, key, rid);
    for (const set of added) for (const key of set.keys) this.putEntry(set.index, key, rid);
    this.data.putSync(recordKey(collection.id, rid), after);
    collection.counters.sizeBytes += after.length - before.length;
    for (const walk of collection.walks) walk.resized(rid, after.length - before.length);
    this.catalog.touch(collection);
  }

  remove(collection: Collection, rid: number, raw: Buffer): void {
    for (const index of collection.indexes) {
      for (const key of this.keysFor(collection, index, raw)) this.removeEntry(index, key, rid);
    }
    this.data.removeSync(recordKey(collection.id, rid));
    collection.counters.documents -= 1;
    collection.counters.sizeBytes -= raw.length;
    for (const walk of collection.walks) walk.removed(rid, raw.length);
    this.catalog.touch(collection);
  }

  /** Adds one document's entries to an index under construction. */
  addToIndex(collection: Collection, index: Index, rid: number, raw: Buffer): void {
    const set = { index, keys: this.keysFor(collection, index, raw) };
    this.checkUnique(collection, set, raw, rid);
    for (const key of set.keys) this.putEntry(index, key, rid);
  }

  /** Rid a unique entry points at. */
  lookUp(indexId: number, keyString: Buffer): number | undefined {
    const value = this.data.getBinaryFast(entryPrefix(indexId, keyString));
    return value ? readRid(value, 0) : undefined;
  }

  /** Removes up to `limit` entries of an orphaned prefix; gives how many there were. */
  clearPrefix(prefix: number, limit: number): number {
    const keys = [...this.data.getKeys({ start: prefixKey(prefix), end: prefixKey(prefix + 1), limit })];
    for (const key of keys) this.data.removeSync(key);
    return keys.length;
  }

  /** How many entries a document calls for in an index, and how many of them are not there. */
  checkEntries(index: Index, rid: number, raw: Buffer): { entries: number; missing: number } {
    const keys = this.entriesCalledFor(index, raw);
    const isThere = (key: Buffer) =>
      index.unique
        ? this.lookUp(index.id, key) === rid
        : this.data.getBinaryFast(entryKey(index.id, key, rid)) !== undefined;
    return { entries: keys.length, missing: keys.filter((key) => !isThere(key)).length };
  }

  /** The key strings a document must have in an index, as they are stored. */
  entriesCalledFor(index: Index, raw: Buffer): Buffer[] {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return [];
    return index.keysOf(raw).keys.map((key) => cutKey(key, maxKeyStringBytes).key);
  }

  private entriesOf(collection: Collection, raw: Buffer): EntrySet[] {
    return collection.indexes.map((index) => ({ index, keys: this.keysFor(collection, index, raw) }));
  }

  /** Key strings of a document, cut to lmdb's limit; notes on the index what plans must know of them. */
  private keysFor(collection: Collection, index: Index, raw: Buffer): Buffer[] {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return [];
    const { keys, multikey, arrayFields } = index.keysOf(raw);
    let changed = false;
    if (index.keyTypes?.unsaved) {
      index.keyTypes.unsaved = false;
      changed = true;
    }
    if (multikey && index.noteArrays(arrayFields)) changed = true;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as Buffer;
      if (key.length <= maxKeyStringBytes) continue;
      keys[i] = cutKey(key, maxKeyStringBytes).key;
      changed ||= !index.cut;
      index.cut = true;
    }
    if (changed) this.catalog.save(collection);
    return keys;
  }

  private checkUnique(
    collection: Collection,
    { index, keys }: EntrySet,
    raw: Buffer,
    ownRid: number | undefined,
  ): void {
    if (!index.keepsUnique) return;
    if (index.collated) {
      this.checkCollated(collection, index, index.collated, raw, ownRid);
      return;
    }
    for (const key of keys) {
      const holder = this.lookUp(index.id, key);
      if (holder !== undefined && holder !== ownRid) throw duplicateKeyError(collection, index, raw, key);
    }
  }

  /** Keys of a collated index only find candidates: their documents are compared. */
  private checkCollated(
    collection: Collection,
    index: Index,
    collated: CollatedKeys,
    raw: Buffer,
    ownRid: number | undefined,
  ): void {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return;
    for (const tuple of collated.tuplesOf(raw)) {
      for (const prefix of collated.candidates(tuple)) {
        const { lower, upper } = cutBounds(prefix, afterPrefix(prefix), maxKeyStringBytes);
        for (const key of this.data.getKeys({
          start: entryPrefix(index.id, lower),
          end: entryPrefix(index.id, upper),
        })) {
          const rid = readRid(key, key.length - ridBytes);
          const other = rid === ownRid ? undefined : this.read(collection.id, rid);
          if (!other || !collated.tuplesOf(other).some((one) => collated.same(one, tuple))) continue;
          throw duplicateKeyError(collection, index, raw, noBytes);
        }
      }
    }
  }

  private putEntry(index: Index, key: Buffer, rid: number): void {
    if (index.unique) this.data.putSync(entryPrefix(index.id, key), ridValue(rid));
    else this.data.putSync(entryKey(index.id, key, rid), noBytes);
  }

  private removeEntry(index: Index, key: Buffer, rid: number): void {
    if (!index.unique) this.data.removeSync(entryKey(index.id, key, rid));
    else if (this.lookUp(index.id, key) === rid) this.data.removeSync(entryPrefix(index.id, key));
  }

  /** Drops the oldest documents of a capped collection until it keeps its bounds. */
  private trim(collection: Collection): void {
    const { capped } = collection.options;
    if (!capped) return;
    const { counters } = collection;
    const tooFull = () =>
      counters.sizeBytes > capped.sizeBytes ||
      (capped.maxDocuments !== undefined && counters.documents > capped.maxDocuments);
    while (counters.documents > 1 && tooFull()) {
      const [oldest] = this.data.getRange({
        start: prefixKey(collection.id),
        end: prefixKey(collection.id + 1),
        limit: 1,
      });
      if (!oldest) return;
      this.remove(collection, readRid(oldest.key, 4), oldest.value);
    }
  }
}

function includes(keys: readonly Buffer[], key: Buffer): boolean {
  return keys.some((other) => other.equals(key));
}

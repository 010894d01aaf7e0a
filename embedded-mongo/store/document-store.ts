import type { Catalog } from '../catalog/catalog.js';
import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { itemAt } from '../checked-access.js';
import type { CollatedKeys } from '../keystring/collated.js';
import { afterPrefix, cutBounds, cutKey } from '../keystring/encode.js';
import { duplicateKeyError } from './duplicate-key.js';
import type { Bytes, Environment } from './environment.js';
import {
  entryKey,
  entryPrefix,
  MAX_KEY_STRING_BYTES,
  prefixKey,
  RECORD_KEY_BYTES,
  RID_BYTES,
  readRid,
  recordKey,
  ridValue,
  writeRid,
} from './keys.js';
import type { Values } from './values.js';

/** The entries of one document in one index. */
interface EntrySet {
  readonly index: Index;
  readonly keys: readonly Buffer[];
}

const NO_BYTES = Buffer.alloc(0);
const KEYS_PER_STEP = 500;
const ONLY_IF_ABSENT = { noOverwrite: true } as const;

/**
 * Documents and their index entries. Every method that writes checks everything before its first put (or takes back
 * its puts), so a rejected document leaves nothing. All of them must run inside a write group.
 */
export class DocumentStore {
  readonly #scratchKey = Buffer.alloc(RECORD_KEY_BYTES);
  readonly #data: Bytes;
  readonly #records: Values;
  readonly #catalog: Catalog;

  constructor({ data, records }: Pick<Environment, 'data' | 'records'>, catalog: Catalog) {
    this.#data = data;
    this.#records = records;
    this.#catalog = catalog;
  }

  /** Returns a document's bytes, valid until the next read: LMDB reuses the buffer. */
  peek(collectionId: number, rid: number): Buffer | undefined {
    this.#scratchKey.writeUInt32BE(collectionId, 0);
    writeRid(this.#scratchKey, rid, 4);
    return this.#records.lend(this.#scratchKey);
  }

  /** A copy of a document's bytes. */
  read(collectionId: number, rid: number): Buffer | undefined {
    return this.#records.read(recordKey(collectionId, rid));
  }

  insert(collection: Collection, raw: Buffer): number {
    const entries = this.#entriesOf(collection, raw);
    for (const set of entries) if (!set.index.unique) this.#checkUnique(collection, set, raw, undefined);
    const { counters } = collection;
    const rid = counters.nextRid;
    this.#putUniqueEntries(collection, entries, rid, raw);
    counters.nextRid += 1;
    counters.documents += 1;
    counters.sizeBytes += raw.length;
    this.#records.put(recordKey(collection.id, rid), raw);
    for (const { index, keys } of entries) if (!index.unique) for (const key of keys) this.#putEntry(index, key, rid);
    this.#catalog.touch(collection);
    if (collection.options.capped) this.#trim(collection);
    return rid;
  }

  /**
   * Checks and puts in one call: LMDB reports whether the key existed, which saves a lookup. A rejection takes back
   * the puts of this document.
   */
  #putUniqueEntries(collection: Collection, entries: readonly EntrySet[], rid: number, raw: Buffer): void {
    const value = ridValue(rid);
    const done: Buffer[] = [];
    for (const { index, keys } of entries) {
      if (!index.unique) continue;
      for (const keyString of keys) {
        const key = entryPrefix(index.id, keyString);
        // LMDB returns whether the key was put; its type declaration leaves the result out.
        const absent: unknown = this.#data.putSync(key, value, ONLY_IF_ABSENT);
        if (absent) done.push(key);
        else {
          for (const put of done) this.#data.removeSync(put);
          throw duplicateKeyError(collection, index, raw, keyString);
        }
      }
    }
  }

  /** Replaces a document in place and keeps unchanged entries. */
  replace(collection: Collection, rid: number, before: Buffer, after: Buffer): void {
    const added: EntrySet[] = [];
    const removed: EntrySet[] = [];
    for (const index of collection.indexes) {
      if (index.isUntouched(before, after)) continue;
      const oldKeys = this.#keysFor(collection, index, before);
      const newKeys = this.#keysFor(collection, index, after);
      added.push({ index, keys: newKeys.filter((key) => !includes(oldKeys, key)) });
      removed.push({ index, keys: oldKeys.filter((key) => !includes(newKeys, key)) });
    }
    for (const set of added) this.#checkUnique(collection, set, after, rid);
    for (const set of removed) for (const key of set.keys) this.#removeEntry(set.index, key, rid);
    for (const set of added) for (const key of set.keys) this.#putEntry(set.index, key, rid);
    this.#records.put(recordKey(collection.id, rid), after);
    collection.counters.sizeBytes += after.length - before.length;
    for (const walk of collection.walks) walk.resized(rid, after.length - before.length);
    this.#catalog.touch(collection);
  }

  remove(collection: Collection, rid: number, raw: Buffer): void {
    for (const index of collection.indexes) {
      for (const key of this.#keysFor(collection, index, raw)) this.#removeEntry(index, key, rid);
    }
    this.#data.removeSync(recordKey(collection.id, rid));
    collection.counters.documents -= 1;
    collection.counters.sizeBytes -= raw.length;
    for (const walk of collection.walks) walk.removed(rid, raw.length);
    this.#catalog.touch(collection);
  }

  /** Adds one document's entries to an index under construction. */
  addToIndex(collection: Collection, index: Index, rid: number, raw: Buffer): void {
    const set = { index, keys: this.#keysFor(collection, index, raw) };
    this.#checkUnique(collection, set, raw, rid);
    for (const key of set.keys) this.#putEntry(index, key, rid);
  }

  /** Rid a unique entry points at. */
  lookUp(indexId: number, keyString: Buffer): number | undefined {
    const value = this.#data.getBinaryFast(entryPrefix(indexId, keyString));
    return value ? readRid(value, 0) : undefined;
  }

  /** Removes up to `limit` entries of an orphaned prefix. @returns their number. */
  clearPrefix(prefix: number, limit: number): number {
    const keys = [...this.#data.getKeys({ start: prefixKey(prefix), end: prefixKey(prefix + 1), limit })];
    for (const key of keys) this.#data.removeSync(key);
    return keys.length;
  }

  /** The number of a document's entries in an index, and how many of them are missing. */
  checkEntries(index: Index, rid: number, raw: Buffer): { entries: number; missing: number } {
    const keys = this.entriesCalledFor(index, raw);
    const isThere = (key: Buffer) =>
      index.unique
        ? this.lookUp(index.id, key) === rid
        : this.#data.getBinaryFast(entryKey(index.id, key, rid)) !== undefined;
    return { entries: keys.length, missing: keys.filter((key) => !isThere(key)).length };
  }

  /** The stored key strings of a document in an index. */
  entriesCalledFor(index: Index, raw: Buffer): Buffer[] {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return [];
    return index.keysOf(raw).keys.map((key) => cutKey(key, MAX_KEY_STRING_BYTES).key);
  }

  #entriesOf(collection: Collection, raw: Buffer): EntrySet[] {
    return collection.indexes.map((index) => ({ index, keys: this.#keysFor(collection, index, raw) }));
  }

  /** Key strings of a document, cut to LMDB's limit; records on the index what plans must know. */
  #keysFor(collection: Collection, index: Index, raw: Buffer): Buffer[] {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return [];
    const { keys, multikey, arrayFields } = index.keysOf(raw);
    let changed = false;
    if (index.keyTypes?.unsaved) {
      index.keyTypes.unsaved = false;
      changed = true;
    }
    if (multikey && index.noteArrays(arrayFields)) changed = true;
    for (let i = 0; i < keys.length; i++) {
      const key = itemAt(keys, i);
      if (key.length <= MAX_KEY_STRING_BYTES) continue;
      keys[i] = cutKey(key, MAX_KEY_STRING_BYTES).key;
      changed ||= !index.cut;
      index.cut = true;
    }
    if (changed) this.#catalog.save(collection);
    return keys;
  }

  #checkUnique(collection: Collection, { index, keys }: EntrySet, raw: Buffer, ownRid: number | undefined): void {
    if (!index.keepsUnique) return;
    if (index.collated) {
      this.#checkCollated(collection, index, index.collated, raw, ownRid);
      return;
    }
    for (const key of keys) {
      const holder = index.unique ? this.lookUp(index.id, key) : this.#otherHolder(index.id, key, ownRid);
      if (holder !== undefined && holder !== ownRid) throw duplicateKeyError(collection, index, raw, key);
    }
  }

  /** Another record under a key of an index that is prepared to become unique: its entries end in their rid. */
  #otherHolder(indexId: number, keyString: Buffer, ownRid: number | undefined): number | undefined {
    const prefix = entryPrefix(indexId, keyString);
    for (const key of this.#data.getKeys({ start: prefix, end: afterPrefix(prefix) })) {
      const rid = readRid(key, key.length - RID_BYTES);
      if (key.length === prefix.length + RID_BYTES && rid !== ownRid) return rid;
    }
    return undefined;
  }

  /** Up to `limit` groups of records that share a key of an index that is not unique, in steps. */
  *sharedKeys(indexId: number, limit: number): Generator<undefined, number[][], undefined> {
    const groups: number[][] = [];
    const end = prefixKey(indexId + 1);
    let start = prefixKey(indexId);
    let shared = NO_BYTES;
    let rids: number[] = [];
    for (;;) {
      const keys = [...this.#data.getKeys({ start, end, limit: KEYS_PER_STEP })];
      for (const key of keys) {
        const prefix = key.subarray(0, key.length - RID_BYTES);
        if (!prefix.equals(shared)) {
          shared = Buffer.from(prefix);
          rids = [];
        }
        rids.push(readRid(key, prefix.length));
        if (rids.length === 2 && groups.push(rids) > limit) return groups.slice(0, limit);
      }
      const last = keys.at(-1);
      if (!last || keys.length < KEYS_PER_STEP) return groups;
      start = Buffer.concat([last, Buffer.alloc(1)]);
      yield;
    }
  }

  /** Keys of a collated index only find candidates, so their documents are compared. */
  #checkCollated(
    collection: Collection,
    index: Index,
    collated: CollatedKeys,
    raw: Buffer,
    ownRid: number | undefined,
  ): void {
    if (index.partialMatcher && !index.partialMatcher.matches(raw)) return;
    for (const tuple of collated.tuplesOf(raw)) {
      for (const prefix of collated.candidates(tuple)) {
        const { lower, upper } = cutBounds(prefix, afterPrefix(prefix), MAX_KEY_STRING_BYTES);
        for (const key of this.#data.getKeys({
          start: entryPrefix(index.id, lower),
          end: entryPrefix(index.id, upper),
        })) {
          const rid = readRid(key, key.length - RID_BYTES);
          const other = rid === ownRid ? undefined : this.read(collection.id, rid);
          if (!other || !collated.tuplesOf(other).some((one) => collated.same(one, tuple))) continue;
          throw duplicateKeyError(collection, index, raw, NO_BYTES);
        }
      }
    }
  }

  #putEntry(index: Index, key: Buffer, rid: number): void {
    if (index.unique) this.#data.putSync(entryPrefix(index.id, key), ridValue(rid));
    else this.#data.putSync(entryKey(index.id, key, rid), NO_BYTES);
  }

  #removeEntry(index: Index, key: Buffer, rid: number): void {
    if (!index.unique) this.#data.removeSync(entryKey(index.id, key, rid));
    else if (this.lookUp(index.id, key) === rid) this.#data.removeSync(entryPrefix(index.id, key));
  }

  /** Deletes the oldest documents of a capped collection until it is within its limits. */
  #trim(collection: Collection): void {
    const { capped } = collection.options;
    if (!capped) return;
    const { counters } = collection;
    const tooFull = () =>
      counters.sizeBytes > capped.sizeBytes ||
      (capped.maxDocuments !== undefined && counters.documents > capped.maxDocuments);
    while (counters.documents > 1 && tooFull()) {
      const [oldest] = this.#data.getKeys({
        start: prefixKey(collection.id),
        end: prefixKey(collection.id + 1),
        limit: 1,
      });
      const rid = oldest && readRid(oldest, 4);
      const raw = rid && this.read(collection.id, rid);
      if (!rid || !raw) return;
      this.remove(collection, rid, raw);
    }
  }
}

function includes(keys: readonly Buffer[], key: Buffer): boolean {
  return keys.some((other) => other.equals(key));
}

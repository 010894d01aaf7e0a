import { Binary } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { asNumber } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import { fail } from '../errors.js';
import { DataDirectoryError } from '../store/data-directory.js';
import type { Values } from '../store/values.js';
import {
  Collection,
  type CollectionOptions,
  catalogKey,
  decodeCollection,
  decodeCounters,
  decodeView,
  encodeCollection,
  encodeCounters,
  encodeView,
  KIND,
  type View,
} from './collection.js';
import { ID_INDEX_SPEC, Index, type IndexSpec } from './index-definition.js';

const ENGINE = 'embedded-mongo';
const FORMAT = 1;

/**
 * Databases, collections and indexes, held in memory and written in the same transaction as the data, so that both
 * always agree. Every method that changes it must run inside a write group.
 */
export class Catalog {
  #databases = new Map<string, Map<string, Collection>>();
  #nextId = 1;
  readonly #dirty = new Set<Collection>();
  #orphans = new Set<number>();
  /** By `db.name`. */
  readonly #views = new Map<string, View>();
  readonly #store: Values;
  readonly #randomBytes: (size: number) => Buffer;

  constructor(store: Values, randomBytes: (size: number) => Buffer) {
    this.#store = store;
    this.#randomBytes = randomBytes;
  }

  /**
   * Reads everything from the store: at start, and again after an aborted group. Collections that cursors and paused
   * writes hold stay the same objects. @returns false for a new store.
   */
  load(): boolean {
    const held = new Map(this.all().map((collection) => [collection.id, collection]));
    this.#databases = new Map();
    this.#orphans = new Set();
    this.#views.clear();
    this.#dirty.clear();
    const meta = this.#store.read(catalogKey(KIND.meta));
    if (!meta) return false;
    this.#readMeta(meta);
    for (const { key, value } of this.#store.all()) {
      const id = key.readUInt32BE(1);
      if (key[0] === KIND.orphan) this.#orphans.add(id);
      if (key[0] === KIND.view) this.#keepView(decodeView(id, value));
      if (key[0] !== KIND.collection) continue;
      const stored = this.#readCollection(id, value);
      this.#adopt(held.get(id)?.restore(stored) ?? stored);
      held.delete(id);
    }
    // The aborted group created these.
    for (const collection of held.values()) collection.dropped = true;
    return true;
  }

  /** Marks a new store as one of this package. */
  initialise(): void {
    this.#saveMeta();
  }

  get(db: string, name: string): Collection | undefined {
    return this.#databases.get(db)?.get(name);
  }

  collections(db: string): Collection[] {
    return [...(this.#databases.get(db)?.values() ?? [])];
  }

  databaseNames(): string[] {
    const ofViews = [...this.#views.values()].map(({ db }) => db);
    return [...new Set([...this.#databases.keys(), ...ofViews])].sort();
  }

  get hasViews(): boolean {
    return this.#views.size > 0;
  }

  view(db: string, name: string): View | undefined {
    return this.#views.get(`${db}.${name}`);
  }

  viewsOf(db: string): View[] {
    return [...this.#views.values()].filter((view) => view.db === db);
  }

  createView(view: Omit<View, 'id'>): void {
    checkCollectionName(view.db, view.name);
    this.refuseTaken(view.db, view.name);
    this.replaceView({ ...view, id: this.#allocateId() });
  }

  replaceView(view: View): void {
    this.#keepView(view);
    this.#store.put(catalogKey(KIND.view, view.id), encodeView(view));
  }

  dropView(view: View): void {
    this.#views.delete(`${view.db}.${view.name}`);
    this.#store.remove(catalogKey(KIND.view, view.id));
  }

  #keepView(view: View): void {
    this.#views.set(`${view.db}.${view.name}`, view);
  }

  /** Collections and views share their names. */
  refuseTaken(db: string, name: string): void {
    const taken = this.get(db, name) ?? this.view(db, name);
    if (taken) fail('NamespaceExists', `Collection ${db}.${name} already exists.`);
  }

  all(): Collection[] {
    return this.databaseNames().flatMap((db) => this.collections(db));
  }

  create(db: string, name: string, options: CollectionOptions): Collection {
    checkCollectionName(db, name);
    this.refuseTaken(db, name);
    const counters = { nextRid: 1, documents: 0, sizeBytes: 0 };
    const collection = new Collection(this.#allocateId(), db, name, this.#newUuid(), options, counters);
    collection.indexes = [
      new Index(
        this.#allocateId(),
        { ...ID_INDEX_SPEC, collation: collection.collation },
        { multikey: false, cut: false, building: false, seenTypes: [] },
      ),
    ];
    this.#adopt(collection);
    this.#dirty.add(collection);
    this.save(collection);
    return collection;
  }

  getOrCreate(db: string, name: string): Collection {
    const existing = this.get(db, name);
    if (!existing && this.view(db, name))
      fail('CommandNotSupportedOnView', `Namespace ${db}.${name} is a view, not a collection`);
    return existing ?? this.create(db, name, {});
  }

  drop(collection: Collection): void {
    this.#forget(collection);
    collection.dropped = true;
    this.#dirty.delete(collection);
    this.#store.remove(catalogKey(KIND.collection, collection.id));
    this.#store.remove(catalogKey(KIND.counters, collection.id));
    this.#addOrphan(collection.id);
    for (const index of collection.indexes) {
      index.dropped = true;
      this.#addOrphan(index.id);
    }
  }

  rename(collection: Collection, db: string, name: string): void {
    checkCollectionName(db, name);
    this.refuseTaken(db, name);
    this.#forget(collection);
    collection.db = db;
    collection.name = name;
    this.#adopt(collection);
    this.save(collection);
  }

  setOptions(collection: Collection, options: CollectionOptions): void {
    collection.setOptions(options);
    this.save(collection);
  }

  addIndex(collection: Collection, spec: IndexSpec, building: boolean): Index {
    const index = new Index(this.#allocateId(), spec, { multikey: false, cut: false, building, seenTypes: [] });
    collection.indexes = [...collection.indexes, index];
    this.save(collection);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    index.dropped = true;
    collection.indexes = collection.indexes.filter((other) => other !== index);
    this.#addOrphan(index.id);
    this.save(collection);
  }

  /** Writes a collection's entry after its indexes' state or specification changed. */
  save(collection: Collection): void {
    this.#store.put(catalogKey(KIND.collection, collection.id), encodeCollection(collection));
  }

  /** Records that the counters changed; the group writes them once at its commit. */
  touch(collection: Collection): void {
    this.#dirty.add(collection);
  }

  /** Returns the collections with changed counters in this group. */
  saveCounters(): readonly Collection[] {
    const changed = [...this.#dirty];
    for (const collection of changed)
      this.#store.put(catalogKey(KIND.counters, collection.id), encodeCounters(collection.counters));
    this.#dirty.clear();
    return changed;
  }

  /** Prefixes of the data store that have no owner and still have entries. */
  orphanPrefixes(): number[] {
    return [...this.#orphans];
  }

  removeOrphan(id: number): void {
    this.#orphans.delete(id);
    this.#store.remove(catalogKey(KIND.orphan, id));
  }

  #addOrphan(id: number): void {
    this.#orphans.add(id);
    this.#store.put(catalogKey(KIND.orphan, id), Buffer.alloc(1));
  }

  #adopt(collection: Collection): void {
    const database = this.#databases.get(collection.db) ?? new Map<string, Collection>();
    database.set(collection.name, collection);
    this.#databases.set(collection.db, database);
  }

  #forget(collection: Collection): void {
    const database = this.#databases.get(collection.db);
    database?.delete(collection.name);
    if (database?.size === 0) this.#databases.delete(collection.db);
  }

  #readCollection(id: number, bytes: Buffer): Collection {
    const counters = this.#store.read(catalogKey(KIND.counters, id));
    if (!counters) throw new DataDirectoryError('damaged', `the catalog lacks the counters of collection ${id}`);
    return decodeCollection(bytes, decodeCounters(counters));
  }

  #readMeta(bytes: Buffer): void {
    const meta = decodeStored(bytes);
    const found = asNumber(meta.get('format'));
    if (meta.get('engine') !== ENGINE || found !== FORMAT)
      throw new DataDirectoryError(
        'format',
        `the data was written in format ${found}; this version reads format ${FORMAT}`,
      );
    this.#nextId = asNumber(meta.get('nextId')) ?? 1;
  }

  #saveMeta(): void {
    this.#store.put(
      catalogKey(KIND.meta),
      encodeDocument(BsonDoc.of({ engine: ENGINE, format: FORMAT, nextId: this.#nextId })),
    );
  }

  #allocateId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#saveMeta();
    return id;
  }

  #newUuid(): Binary {
    const bytes = this.#randomBytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return new Binary(bytes, Binary.SUBTYPE_UUID);
  }
}

/** Collection names: not empty, no `$` nor NUL, no leading dot; `db.name` at most 255 bytes (MongoDB manual, limits). */
function checkCollectionName(db: string, name: string): void {
  const bad = name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.') || name.endsWith('.');
  if (bad) fail('InvalidNamespace', `Invalid collection name: '${name}'`);
  if (Buffer.byteLength(`${db}.${name}`) > 255)
    fail('InvalidNamespace', `Fully qualified namespace is too long: ${db}.${name}`);
}

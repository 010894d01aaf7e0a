import { Binary } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { DataDirectoryError } from '../store/data-directory-error.js';
import type { Bytes } from '../store/environment.js';
import { asNumber } from './bson-arguments.js';
import { catalogKey, decodeCollection, decodeCounters, encodeCollection, encodeCounters, kind } from './codec.js';
import { Collection, type CollectionOptions } from './collection.js';
import { Index, type IndexSpec, idIndexSpec } from './index-definition.js';
import { decodeView, encodeView, type View } from './view.js';

const engine = 'embedded-mongo';
const format = 1;

/**
 * Databases, collections and indexes. Held in memory and written through within the transaction of the group, so
 * catalog and data can never disagree; every changing method must be called inside a write group.
 */
export class Catalog {
  private databases = new Map<string, Map<string, Collection>>();
  private nextId = 1;
  private readonly dirty = new Set<Collection>();
  private orphans = new Set<number>();
  /** By `db.name`. */
  private readonly views = new Map<string, View>();

  constructor(
    private readonly store: Bytes,
    private readonly randomBytes: (size: number) => Buffer,
  ) {}

  /**
   * Reads everything from the store: at start, and again after an aborted group, when collections that cursors and
   * paused writes hold stay the same objects. Gives false for a new store.
   */
  load(): boolean {
    const held = new Map(this.all().map((collection) => [collection.id, collection]));
    this.databases = new Map();
    this.orphans = new Set();
    this.views.clear();
    this.dirty.clear();
    const meta = this.store.getBinary(catalogKey(kind.meta));
    if (!meta) return false;
    this.readMeta(meta);
    for (const { key, value } of this.store.getRange({})) {
      const id = key.readUInt32BE(1);
      if (key[0] === kind.orphan) this.orphans.add(id);
      if (key[0] === kind.view) this.keepView(decodeView(id, value));
      if (key[0] !== kind.collection) continue;
      const stored = this.readCollection(id, value);
      this.adopt(held.get(id)?.restore(stored) ?? stored);
      held.delete(id);
    }
    // What the aborted group had created never was.
    for (const collection of held.values()) collection.dropped = true;
    return true;
  }

  /** Marks a new store as ours. */
  initialise(): void {
    this.saveMeta();
  }

  get(db: string, name: string): Collection | undefined {
    return this.databases.get(db)?.get(name);
  }

  collections(db: string): Collection[] {
    return [...(this.databases.get(db)?.values() ?? [])];
  }

  databaseNames(): string[] {
    const ofViews = [...this.views.values()].map(({ db }) => db);
    return [...new Set([...this.databases.keys(), ...ofViews])].sort();
  }

  get hasViews(): boolean {
    return this.views.size > 0;
  }

  view(db: string, name: string): View | undefined {
    return this.views.get(`${db}.${name}`);
  }

  viewsOf(db: string): View[] {
    return [...this.views.values()].filter((view) => view.db === db);
  }

  createView(view: Omit<View, 'id'>): void {
    checkCollectionName(view.db, view.name);
    this.refuseTaken(view.db, view.name);
    this.replaceView({ ...view, id: this.allocateId() });
  }

  replaceView(view: View): void {
    this.keepView(view);
    this.store.putSync(catalogKey(kind.view, view.id), encodeView(view));
  }

  dropView(view: View): void {
    this.views.delete(`${view.db}.${view.name}`);
    this.store.removeSync(catalogKey(kind.view, view.id));
  }

  private keepView(view: View): void {
    this.views.set(`${view.db}.${view.name}`, view);
  }

  /** Collections and views share their names. */
  refuseTaken(db: string, name: string): void {
    const taken = this.get(db, name) ?? this.view(db, name);
    if (taken) throw new MongoError('NamespaceExists', `Collection ${db}.${name} already exists.`);
  }

  all(): Collection[] {
    return this.databaseNames().flatMap((db) => this.collections(db));
  }

  create(db: string, name: string, options: CollectionOptions): Collection {
    checkCollectionName(db, name);
    this.refuseTaken(db, name);
    const counters = { nextRid: 1, documents: 0, sizeBytes: 0 };
    const collection = new Collection(this.allocateId(), db, name, this.newUuid(), options, counters);
    collection.indexes = [
      new Index(
        this.allocateId(),
        { ...idIndexSpec, collation: collection.collation },
        { multikey: false, cut: false, building: false, seenTypes: [] },
      ),
    ];
    this.adopt(collection);
    this.dirty.add(collection);
    this.save(collection);
    return collection;
  }

  getOrCreate(db: string, name: string): Collection {
    const existing = this.get(db, name);
    if (!existing && this.view(db, name))
      throw new MongoError('CommandNotSupportedOnView', `Namespace ${db}.${name} is a view, not a collection`);
    return existing ?? this.create(db, name, {});
  }

  drop(collection: Collection): void {
    this.forget(collection);
    collection.dropped = true;
    this.dirty.delete(collection);
    this.store.removeSync(catalogKey(kind.collection, collection.id));
    this.store.removeSync(catalogKey(kind.counters, collection.id));
    this.addOrphan(collection.id);
    for (const index of collection.indexes) {
      index.dropped = true;
      this.addOrphan(index.id);
    }
  }

  rename(collection: Collection, db: string, name: string): void {
    checkCollectionName(db, name);
    this.refuseTaken(db, name);
    this.forget(collection);
    collection.db = db;
    collection.name = name;
    this.adopt(collection);
    this.save(collection);
  }

  setOptions(collection: Collection, options: CollectionOptions): void {
    collection.setOptions(options);
    this.save(collection);
  }

  addIndex(collection: Collection, spec: IndexSpec, building: boolean): Index {
    const index = new Index(this.allocateId(), spec, { multikey: false, cut: false, building, seenTypes: [] });
    collection.indexes = [...collection.indexes, index];
    this.save(collection);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    index.dropped = true;
    collection.indexes = collection.indexes.filter((other) => other !== index);
    this.addOrphan(index.id);
    this.save(collection);
  }

  /** Writes a collection's entry after its indexes' state or specification changed. */
  save(collection: Collection): void {
    this.store.putSync(catalogKey(kind.collection, collection.id), encodeCollection(collection));
  }

  /** Notes that the counters changed; they are written once, when the group commits. */
  touch(collection: Collection): void {
    this.dirty.add(collection);
  }

  /** Gives the collections whose counters changed in this group. */
  saveCounters(): readonly Collection[] {
    const changed = [...this.dirty];
    for (const collection of changed) {
      this.store.putSync(catalogKey(kind.counters, collection.id), encodeCounters(collection.counters));
    }
    this.dirty.clear();
    return changed;
  }

  /** Prefixes of the data store whose owner is gone but whose entries are not cleared yet. */
  orphanPrefixes(): number[] {
    return [...this.orphans];
  }

  removeOrphan(id: number): void {
    this.orphans.delete(id);
    this.store.removeSync(catalogKey(kind.orphan, id));
  }

  private addOrphan(id: number): void {
    this.orphans.add(id);
    this.store.putSync(catalogKey(kind.orphan, id), Buffer.alloc(1));
  }

  private adopt(collection: Collection): void {
    const database = this.databases.get(collection.db) ?? new Map<string, Collection>();
    database.set(collection.name, collection);
    this.databases.set(collection.db, database);
  }

  private forget(collection: Collection): void {
    const database = this.databases.get(collection.db);
    database?.delete(collection.name);
    if (database?.size === 0) this.databases.delete(collection.db);
  }

  private readCollection(id: number, bytes: Buffer): Collection {
    const counters = this.store.getBinary(catalogKey(kind.counters, id));
    if (!counters) throw new DataDirectoryError('damaged', `the catalog lacks the counters of collection ${id}`);
    return decodeCollection(bytes, decodeCounters(counters));
  }

  private readMeta(bytes: Buffer): void {
    const meta = decodeStored(bytes);
    const found = asNumber(meta.get('format'));
    if (meta.get('engine') !== engine || found !== format) {
      throw new DataDirectoryError(
        'format',
        `the data was written in format ${found}; this version reads format ${format}`,
      );
    }
    this.nextId = asNumber(meta.get('nextId')) ?? 1;
  }

  private saveMeta(): void {
    this.store.putSync(catalogKey(kind.meta), encodeDocument(BsonDoc.of({ engine, format, nextId: this.nextId })));
  }

  private allocateId(): number {
    const id = this.nextId;
    this.nextId += 1;
    this.saveMeta();
    return id;
  }

  private newUuid(): Binary {
    const bytes = this.randomBytes(16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    return new Binary(bytes, Binary.SUBTYPE_UUID);
  }
}

/** Collection names: not empty, no `$` nor NUL, no leading dot; `db.name` at most 255 bytes (MongoDB manual, limits). */
export function checkCollectionName(db: string, name: string): void {
  const bad = name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.') || name.endsWith('.');
  if (bad) throw new MongoError('InvalidNamespace', `Invalid collection name: '${name}'`);
  if (Buffer.byteLength(`${db}.${name}`) > 255) {
    throw new MongoError('InvalidNamespace', `Fully qualified namespace is too long: ${db}.${name}`);
  }
}

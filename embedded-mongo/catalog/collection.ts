import { Binary } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { asNumber, isTrue } from '../bson/number.js';
import { BsonDoc, type BsonValue, isDoc } from '../bson/value.js';
import { type Collation, parseCollation } from '../compare/collation.js';
import { collatedExpressions, compileMatcher, type Matcher } from '../match/matcher.js';
import { declareIndex, describeIndex, ID_INDEX_SPEC, Index, parseIndexSpec } from './index-definition.js';

/** The options of `create` and `collMod`; every other option is rejected. */
export interface CollectionOptions {
  readonly capped?: { readonly sizeBytes: number; readonly maxDocuments?: number };
  readonly validator?: BsonDoc;
  readonly validationLevel?: 'off' | 'strict' | 'moderate';
  readonly validationAction?: 'error' | 'warn';
  /** Default of queries and indexes. */
  readonly collation?: BsonDoc;
}

/** Saved with every group commit, so that the start counts nothing. */
interface CollectionCounters {
  nextRid: number;
  documents: number;
  sizeBytes: number;
}

/** Counts the records that a walk in rid order has passed, exactly, during concurrent writes. */
export class RecordWalk {
  records = 0;
  bytes = 0;
  /** Set when reported changes were rolled back. */
  disturbed = false;
  #position = 0;

  pass(rid: number, sizeBytes: number): void {
    this.#position = rid;
    this.records += 1;
    this.bytes += sizeBytes;
  }

  resized(rid: number, byBytes: number): void {
    if (rid <= this.#position) this.bytes += byBytes;
  }

  removed(rid: number, sizeBytes: number): void {
    if (rid > this.#position) return;
    this.records -= 1;
    this.bytes -= sizeBytes;
  }
}

/** One collection in memory; only the catalog changes its name, options and indexes. */
export class Collection {
  /** Set when the collection is dropped: paused work must stop. */
  dropped = false;
  indexes: readonly Index[] = [];
  /** Walks over its records in progress (validation); the store reports changes behind them. */
  readonly walks = new Set<RecordWalk>();
  validator: Matcher | undefined;
  collation: Collation | undefined;

  constructor(
    readonly id: number,
    public db: string,
    public name: string,
    readonly uuid: Binary,
    public options: CollectionOptions,
    public counters: CollectionCounters,
  ) {
    this.setOptions(options);
  }

  setOptions(options: CollectionOptions): void {
    this.options = options;
    this.collation = options.collation && parseCollation(options.collation);
    this.validator = options.validator && compileMatcher(options.validator, collatedExpressions(this.collation));
  }

  /** Takes over the stored state after a group that had changed this collection was rolled back. */
  restore(stored: Collection): this {
    this.db = stored.db;
    this.name = stored.name;
    this.setOptions(stored.options);
    this.counters = stored.counters;
    for (const index of this.indexes) index.outdated = true;
    this.indexes = stored.indexes;
    this.dropped = false;
    for (const walk of this.walks) walk.disturbed = true;
    return this;
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  /** Indexes a plan may read: those under construction are written but not yet complete. */
  get readyIndexes(): readonly Index[] {
    return this.indexes.filter((index) => !index.building);
  }

  index(name: string): Index | undefined {
    return this.indexes.find((index) => index.name === name);
  }
}

/** A named pipeline over a collection or another view of the same database. */
export interface View {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly viewOn: string;
  readonly pipeline: readonly BsonValue[];
  /** The collation of all reads; undefined compares bytes. */
  readonly collation: BsonDoc | undefined;
}

/** Its options as `create` takes and listCollections shows them. */
export function describeView({ viewOn, pipeline, collation }: View): BsonDoc {
  const doc = new BsonDoc(['viewOn', 'pipeline'], [viewOn, [...pipeline]]);
  return collation ? doc.append('collation', collation) : doc;
}

export function encodeView(view: View): Buffer {
  return encodeDocument(new BsonDoc(['db', 'name', 'options'], [view.db, view.name, describeView(view)]));
}

export function decodeView(id: number, bytes: Buffer): View {
  const doc = decodeStored(bytes);
  const options = doc.get('options');
  const [viewOn, pipeline, collation] = ['viewOn', 'pipeline', 'collation'].map((name) =>
    options instanceof BsonDoc ? options.get(name) : undefined,
  );
  if (typeof viewOn !== 'string' || !Array.isArray(pipeline)) throw new Error('a catalog entry is damaged');
  return {
    id,
    db: String(doc.get('db')),
    name: String(doc.get('name')),
    viewOn,
    pipeline,
    collation: collation instanceof BsonDoc ? collation : undefined,
  };
}

/**
 * Keys of the `catalog` store: one letter for the kind, then a u32 id.
 *   m        engine, format and the next free id
 *   c<id>    a collection with its options and indexes
 *   n<id>    its counters, apart because they change with every write
 *   v<id>    a view
 *   o<id>    an orphaned prefix of the data store: dropped at once by name, cleared later in chunks
 */
export const KIND = { meta: 0x6d, collection: 0x63, counters: 0x6e, orphan: 0x6f, view: 0x76 } as const;

export function catalogKey(letter: number, id = 0): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = letter;
  key.writeUInt32BE(id, 1);
  return key;
}

export function encodeCollection(collection: Collection): Buffer {
  const indexes = collection.indexes.map((index) =>
    BsonDoc.of({
      id: index.id,
      spec: describeIndex(index.spec),
      multikey: index.multikey,
      arrayFields: index.arrayFields,
      cut: index.cut,
      building: index.building,
      seenTypes: index.keyTypes?.masks,
    }),
  );
  return encodeDocument(
    BsonDoc.of({
      id: collection.id,
      db: collection.db,
      name: collection.name,
      uuid: collection.uuid,
      options: describeOptions(collection.options),
      indexes,
    }),
  );
}

export function decodeCollection(bytes: Buffer, counters: CollectionCounters): Collection {
  const doc = decodeStored(bytes);
  const uuid = doc.get('uuid');
  const indexes = doc.get('indexes');
  if (!(uuid instanceof Binary) || !Array.isArray(indexes)) throw new Error('a catalog entry is damaged');
  const options = parseStoredOptions(doc.get('options'));
  const collection = new Collection(
    asNumber(doc.get('id')) ?? 0,
    String(doc.get('db')),
    String(doc.get('name')),
    uuid,
    options,
    counters,
  );
  collection.indexes = indexes.map(decodeIndex);
  return collection;
}

function decodeIndex(doc: BsonValue): Index {
  const stored = isDoc(doc) ? doc.get('spec') : undefined;
  if (!isDoc(doc) || !isDoc(stored)) throw new Error('a catalog entry is damaged');
  const spec = stored.get('served') === false ? declareIndex(stored) : parseIndexSpec(stored);
  const state = {
    multikey: isTrue(doc.get('multikey')),
    arrayFields: asNumber(doc.get('arrayFields')),
    cut: isTrue(doc.get('cut')),
    building: isTrue(doc.get('building')),
    seenTypes: parseSeenTypes(doc.get('seenTypes')),
  };
  return new Index(
    asNumber(doc.get('id')) ?? 0,
    spec.name === '_id_' ? { ...ID_INDEX_SPEC, collation: spec.collation } : spec,
    state,
  );
}

function parseSeenTypes(value: BsonValue | undefined): number[] | undefined {
  return Array.isArray(value) ? value.map((mask) => asNumber(mask) ?? 0) : undefined;
}

/** Options as `create` takes and listCollections shows them. */
export function describeOptions(options: CollectionOptions): BsonDoc {
  const { capped, validator, validationLevel, validationAction = 'error', collation } = options;
  return new BsonDoc()
    .appendAll(capped ? { capped: true, size: capped.sizeBytes, max: capped.maxDocuments } : {})
    .appendAll({ validator, validationLevel, validationAction: validator && validationAction, collation });
}

function parseStoredOptions(value: unknown): CollectionOptions {
  const doc = value instanceof BsonDoc ? value : new BsonDoc();
  const sizeBytes = asNumber(doc.get('size'));
  const maxDocuments = asNumber(doc.get('max'));
  const validator = doc.get('validator');
  const level = doc.get('validationLevel');
  const collation = doc.get('collation');
  return {
    ...(sizeBytes === undefined
      ? {}
      : { capped: { sizeBytes, ...(maxDocuments === undefined ? {} : { maxDocuments }) } }),
    ...(validator instanceof BsonDoc ? { validator } : {}),
    ...(level === 'off' || level === 'strict' || level === 'moderate' ? { validationLevel: level } : {}),
    ...(doc.get('validationAction') === 'warn' ? { validationAction: 'warn' as const } : {}),
    ...(collation instanceof BsonDoc ? { collation } : {}),
  };
}

const COUNTERS_BYTES = 24;

export function encodeCounters(counters: CollectionCounters): Buffer {
  const bytes = Buffer.allocUnsafe(COUNTERS_BYTES);
  bytes.writeDoubleBE(counters.nextRid, 0);
  bytes.writeDoubleBE(counters.documents, 8);
  bytes.writeDoubleBE(counters.sizeBytes, 16);
  return bytes;
}

export function decodeCounters(bytes: Buffer): CollectionCounters {
  return { nextRid: bytes.readDoubleBE(0), documents: bytes.readDoubleBE(8), sizeBytes: bytes.readDoubleBE(16) };
}

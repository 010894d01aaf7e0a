import { Binary } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber, isTrue } from './bson-arguments.js';
import { Collection, type CollectionCounters, type CollectionOptions } from './collection.js';
import { describeIndex, Index, idIndexSpec, parseIndexSpec } from './index-definition.js';

/**
 * Keys of the `catalog` store: one letter for the kind, then a u32 id.
 *   m        engine, format and the next free id
 *   c<id>    a collection with its options and indexes
 *   n<id>    its counters, apart because they change with every write
 *   v<id>    a view
 *   o<id>    an orphaned prefix of the data store: dropped at once by name, cleared later in chunks
 */
export const kind = { meta: 0x6d, collection: 0x63, counters: 0x6e, orphan: 0x6f, view: 0x76 } as const;

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
  collection.indexes = indexes.map((index) => decodeIndex(index as BsonDoc));
  return collection;
}

function decodeIndex(doc: BsonDoc): Index {
  const spec = parseIndexSpec(doc.get('spec') as BsonDoc);
  const state = {
    multikey: isTrue(doc.get('multikey')),
    arrayFields: asNumber(doc.get('arrayFields')),
    cut: isTrue(doc.get('cut')),
    building: isTrue(doc.get('building')),
    seenTypes: parseSeenTypes(doc.get('seenTypes')),
  };
  return new Index(
    asNumber(doc.get('id')) ?? 0,
    spec.name === '_id_' ? { ...idIndexSpec, collation: spec.collation } : spec,
    state,
  );
}

function parseSeenTypes(value: BsonValue | undefined): number[] | undefined {
  return Array.isArray(value) ? value.map((mask) => asNumber(mask) ?? 0) : undefined;
}

/** Options as `create` takes and listCollections shows them. */
export function describeOptions(options: CollectionOptions): BsonDoc {
  const doc = new BsonDoc();
  if (options.capped) {
    const { sizeBytes, maxDocuments } = options.capped;
    for (const [name, value] of BsonDoc.of({ capped: true, size: sizeBytes, max: maxDocuments }))
      doc.append(name, value);
  }
  if (options.validator) doc.append('validator', options.validator);
  if (options.validationLevel) doc.append('validationLevel', options.validationLevel);
  if (options.validator) doc.append('validationAction', options.validationAction ?? 'error');
  if (options.collation) doc.append('collation', options.collation);
  return doc;
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

const countersBytes = 24;

export function encodeCounters(counters: CollectionCounters): Buffer {
  const bytes = Buffer.allocUnsafe(countersBytes);
  bytes.writeDoubleBE(counters.nextRid, 0);
  bytes.writeDoubleBE(counters.documents, 8);
  bytes.writeDoubleBE(counters.sizeBytes, 16);
  return bytes;
}

export function decodeCounters(bytes: Buffer): CollectionCounters {
  return { nextRid: bytes.readDoubleBE(0), documents: bytes.readDoubleBE(8), sizeBytes: bytes.readDoubleBE(16) };
}

import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { BsonDate, BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { encodeKey } from '../keystring/encode.js';

/** Error 11000 with MongoDB's text; mongoose and others read the field names from `keyPattern` and `keyValue`. */
export function duplicateKeyError(collection: Collection, index: Index, raw: Buffer, keyString: Buffer): MongoError {
  const keyValue = new BsonDoc();
  const doc = decodeStored(raw);
  for (const { path } of index.fields) keyValue.append(path, valueAt(doc, path, index, keyString));
  const message = `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: ${shellText(keyValue)}`;
  return new MongoError('DuplicateKey', message, { keyPattern: index.spec.key, keyValue });
}

/** The field's value; for an array the colliding element, where it is known. */
function valueAt(doc: BsonDoc, path: string, index: Index, keyString: Buffer): BsonValue {
  const found = expand([doc], path.split('.'));
  const first = found[0] ?? null;
  if (found.length < 2 || index.fields.length > 1) return first;
  const { direction } = index.fields[0] ?? { direction: 1 };
  return found.find((value) => encodeKey([value], [direction]).equals(keyString)) ?? first;
}

/** Every value a path reaches, arrays spread at each step. */
function expand(values: readonly BsonValue[], steps: readonly string[]): BsonValue[] {
  const flat = values.flatMap((value) => (Array.isArray(value) ? value : [value]));
  const [step, ...rest] = steps;
  if (step === undefined) return flat;
  const next = flat.flatMap((value) => {
    const field = value instanceof BsonDoc ? value.get(step) : undefined;
    return field === undefined ? [] : [field];
  });
  return expand(next, rest);
}

/** Formats a value like the shell: clients and their tests rely on this form in error texts. */
export function shellText(value: BsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(shellText).join(', ')} ]`;
  if (value instanceof BsonDoc) {
    const fields = [...value].map(([name, field]) => `${name}: ${shellText(field)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return scalarText(value);
}

function scalarText(value: Exclude<BsonValue, null | string | boolean | BsonValue[] | BsonDoc>): string {
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Long || value instanceof Decimal128) return value.toString();
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof BsonDate) return `new Date(${value.ms})`;
  if (value instanceof Binary) return binaryText(value);
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`;
  return value._bsontype;
}

function binaryText(value: Binary): string {
  const hex = Buffer.from(value.buffer.subarray(0, value.position)).toString('hex');
  if (value.sub_type !== Binary.SUBTYPE_UUID || hex.length !== 32)
    return `BinData(${value.sub_type}, ${hex.toUpperCase()})`;
  return `UUID("${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}")`;
}

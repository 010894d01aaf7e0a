import { decodeStored } from '../bson/decode.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { encodeKey } from '../keystring/encode.js';
import { shellText } from './shell-text.js';

/** Error 11000 in MongoDB's own words: mongoose and others read the field names out of `keyPattern` and `keyValue`. */
export function duplicateKeyError(collection: Collection, index: Index, raw: Buffer, keyString: Buffer): MongoError {
  const keyValue = new BsonDoc();
  const doc = decodeStored(raw);
  for (const { path } of index.fields) keyValue.append(path, valueAt(doc, path, index, keyString));
  const message = `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: ${shellText(keyValue)}`;
  return new MongoError('DuplicateKey', message, { keyPattern: index.spec.key, keyValue });
}

/** The field's value; of an array the element whose key collided, where that can be told. */
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

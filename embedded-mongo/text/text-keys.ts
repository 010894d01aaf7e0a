import { decodeRef } from '../bson/decode.js';
import { findPath } from '../bson/raw.js';
import { T } from '../bson/types.js';
import type { BsonValue } from '../bson/value.js';
import { MongoError } from '../errors.js';
import { encodeKey } from '../keystring/encode.js';
import type { IndexKeys } from '../keystring/extract.js';
import { scoresOf, type TextSpec } from './text-spec.js';

/** The entries of a document in a text index: its leading fields, then a term. A document without words has none. */
export function textKeys(spec: TextSpec, raw: Buffer): IndexKeys {
  const prefix = spec.prefix.map((path) => prefixValue(raw, path));
  const keys = [...scoresOf(spec, raw).keys()].map((term) => textKey(prefix, term)).sort(Buffer.compare);
  return { keys, multikey: true, arrayFields: 0 };
}

export function textKey(prefix: readonly (BsonValue | undefined)[], term: string): Buffer {
  return encodeKey(
    [...prefix, term],
    [...prefix, term].map(() => 1),
  );
}

function prefixValue(raw: Buffer, path: string): BsonValue | undefined {
  const found = findPath(raw, path);
  if (found?.type === T.array) {
    throw new MongoError(17261, `field '${path}' of text index contains an array in document`);
  }
  return found && decodeRef(found);
}

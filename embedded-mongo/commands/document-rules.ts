import { decodeRef } from '../bson/decode.js';
import { RawRef, rawId } from '../bson/raw.js';
import { T } from '../bson/types.js';
import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { collatedExpressions } from '../match/matcher.js';
import { validationDetails } from '../match/validation-details.js';
import type { System } from '../system.js';
import { maxBsonObjectBytes } from './handshake.js';

/** Checks a document about to be stored; `before` is what it replaces. */
export function checkDocumentAllowed(
  system: System,
  collection: Collection,
  raw: Buffer,
  before: Buffer | undefined,
  bypassValidation: boolean,
): void {
  if (raw.length > maxBsonObjectBytes) {
    throw new MongoError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${raw.length}, max size: ${maxBsonObjectBytes}`,
    );
  }
  if (!before) checkId(raw);
  if (!bypassValidation) validate(system, collection, raw, before);
}

function checkId(raw: Buffer): void {
  const id = rawId(raw);
  if (!id) throw new MongoError('InternalError', 'a document without _id reached the store');
  if (id.type === T.array || id.type === T.regex || id.type === T.undefined) {
    const name = id.type === T.array ? 'array' : id.type === T.regex ? 'regex' : 'undefined';
    throw new MongoError('InvalidIdField', `The '_id' value cannot be of type ${name}`);
  }
  if (id.type === T.object && startsWithDollar(id)) {
    throw new MongoError('DollarPrefixedFieldName', "_id fields may not contain '$'-prefixed fields");
  }
}

function startsWithDollar(id: RawRef): boolean {
  const value = decodeRef(id);
  return value instanceof BsonDoc && value.keys.some((key) => key.startsWith('$'));
}

function validate(system: System, collection: Collection, raw: Buffer, before: Buffer | undefined): void {
  const { validator, options } = collection;
  if (!validator || options.validationLevel === 'off' || validator.matches(raw)) return;
  // "moderate": documents that were invalid already may stay so.
  if (options.validationLevel === 'moderate' && before && !validator.matches(before)) return;
  if (options.validationAction === 'warn') {
    // Values stay out of the log: they may be anybody's.
    system.report('Document would fail validation', `collection ${collection.namespace}`);
    return;
  }
  const id = rawId(raw);
  const failingDocumentId = id ? decodeRef(id) : null;
  const details = validationDetails(options.validator ?? new BsonDoc(), raw, collatedExpressions(collection.collation));
  const errInfo = new BsonDoc(['failingDocumentId', 'details'], [failingDocumentId, details]);
  throw new MongoError('DocumentValidationFailure', 'Document failed validation', { errInfo });
}

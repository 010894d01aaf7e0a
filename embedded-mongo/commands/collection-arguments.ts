import type { BsonDoc } from '../bson/value.js';
import type { CollectionOptions } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { booleanArgument, countArgument, docArgument, refuseCollation, stringArgument } from './arguments.js';
import { matcherFor } from './compiled-cache.js';

/** Options of `create`, and the validation part of `collMod`. */
export function parseCreateOptions(body: BsonDoc): CollectionOptions {
  refuseCollation(body);
  const validator = docArgument(body, 'validator');
  if (validator) matcherFor(validator);
  const level = stringArgument(body, 'validationLevel');
  if (level !== undefined && level !== 'off' && level !== 'strict' && level !== 'moderate') {
    throw new MongoError('BadValue', `invalid validation level: ${level}`);
  }
  const action = stringArgument(body, 'validationAction');
  if (action !== undefined && action !== 'error') {
    throw new MongoError(
      'BadValue',
      `validationAction '${action}' is not supported: invalid documents are always refused`,
    );
  }
  return {
    ...parseCapped(body),
    ...(validator && validator.size > 0 ? { validator } : {}),
    ...(level === undefined ? {} : { validationLevel: level }),
  };
}

function parseCapped(body: BsonDoc): Pick<CollectionOptions, 'capped'> {
  const sizeBytes = countArgument(body, 'size');
  const maxDocuments = countArgument(body, 'max');
  if (!booleanArgument(body, 'capped')) {
    if (sizeBytes !== undefined || maxDocuments !== undefined) {
      throw new MongoError(
        'InvalidOptions',
        "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
      );
    }
    return {};
  }
  if (!sizeBytes) throw new MongoError('InvalidOptions', "the 'size' field is required when 'capped' is true");
  return { capped: { sizeBytes, ...(maxDocuments ? { maxDocuments } : {}) } };
}

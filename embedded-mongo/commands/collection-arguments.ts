import type { BsonDoc } from '../bson/value.js';
import type { CollectionOptions } from '../catalog/collection.js';
import { parseCollation } from '../compare/collation.js';
import { MongoError } from '../errors.js';
import { booleanArgument, countArgument, docArgument, stringArgument } from './arguments.js';
import { matcherFor } from './compiled-cache.js';

/** Options of `create`, and the validation part of `collMod`. */
export function parseCreateOptions(body: BsonDoc): CollectionOptions {
  const given = docArgument(body, 'collation');
  const collation = given && given.size > 0 ? parseCollation(given) : undefined;
  const validator = docArgument(body, 'validator');
  if (validator) matcherFor(validator, undefined, collation);
  const level = stringArgument(body, 'validationLevel');
  if (level !== undefined && level !== 'off' && level !== 'strict' && level !== 'moderate') {
    throw new MongoError('BadValue', `invalid validation level: ${level}`);
  }
  const action = stringArgument(body, 'validationAction');
  if (action !== undefined && action !== 'error' && action !== 'warn') {
    throw new MongoError('BadValue', `invalid validation action: ${action}`);
  }
  return {
    ...parseCapped(body),
    ...(validator && validator.size > 0 ? { validator } : {}),
    ...(level === undefined ? {} : { validationLevel: level }),
    ...(action === 'warn' ? { validationAction: action } : {}),
    ...(collation ? { collation: collation.spec } : {}),
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

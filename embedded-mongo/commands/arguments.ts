/** Reads the arguments of a command and checks their types. */

import { Long } from 'bson';
import { asNumber } from '../bson/number.js';
import { BsonDoc, type BsonValue, TYPE_NAMES, typeOf } from '../bson/value.js';
import { fail, MongoError } from '../errors.js';
import type { CommandRequest } from '../wire/op-msg.js';

function wrongType(name: string, value: BsonValue, expected: string): MongoError {
  const found = TYPE_NAMES.get(typeOf(value)) ?? 'unknown';
  return new MongoError(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${found}', expected type '${expected}'`,
  );
}

/** Arguments of null count as absent, as they do in MongoDB's own parsers. */
function given(body: BsonDoc, name: string): BsonValue | undefined {
  return body.get(name) ?? undefined;
}

export function doc(body: BsonDoc, name: string): BsonDoc | undefined {
  const value = given(body, name);
  if (value === undefined || value instanceof BsonDoc) return value;
  throw wrongType(name, value, 'object');
}

export function requiredDoc(body: BsonDoc, name: string, owner: string): BsonDoc {
  return doc(body, name) ?? fail(40414, `BSON field '${owner}.${name}' is missing but a required field`);
}

export function array(body: BsonDoc, name: string): BsonValue[] | undefined {
  const value = given(body, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(name, value, 'array');
}

export function string(body: BsonDoc, name: string): string | undefined {
  const value = given(body, name);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, value, 'string');
}

/** Booleans; numbers count as MongoDB's "safe bool". */
export function boolean(body: BsonDoc, name: string): boolean {
  const value = given(body, name);
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  const number = asNumber(value);
  if (number === undefined) throw wrongType(name, value, 'bool');
  return number !== 0;
}

export function integer(body: BsonDoc, name: string): number | undefined {
  const value = given(body, name);
  if (value === undefined) return undefined;
  const number = asNumber(value);
  if (number === undefined) throw wrongType(name, value, 'long');
  if (!Number.isInteger(number)) fail('FailedToParse', `Expected an integer: ${name}: ${number}`);
  return number;
}

/** An integer that may not be below zero: skip, limit, batchSize. */
export function count(body: BsonDoc, name: string): number | undefined {
  const number = integer(body, name);
  if (number !== undefined && number < 0)
    fail(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return number;
}

/** The collection that a command names in its first field. */
export function collection({ name, body }: CommandRequest): string {
  const value = body.values[0];
  if (typeof value !== 'string') fail('InvalidNamespace', `collection name has invalid type in command ${name}`);
  if (value === '') fail('InvalidNamespace', 'Invalid namespace specified: the collection name is empty');
  if (value.includes('\0')) fail('InvalidNamespace', 'namespaces cannot have embedded null characters');
  return value;
}

/** Cursor ids travel as int64 and are matched by their text. */
export function long(value: BsonValue | undefined, name: string): bigint {
  if (value instanceof Long) return value.toBigInt();
  throw wrongType(name, value ?? null, 'long');
}

export function maxTimeMs(body: BsonDoc): number {
  return count(body, 'maxTimeMS') ?? 0;
}

import { Long } from 'bson';
import { typeNames } from '../bson/types.js';
import { BsonDoc, type BsonValue, typeOf } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { CommandRequest } from '../wire/request.js';

function wrongType(name: string, value: BsonValue, expected: string): MongoError {
  const found = typeNames.get(typeOf(value)) ?? 'unknown';
  return new MongoError(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${found}', expected type '${expected}'`,
  );
}

/** Arguments of null count as absent, as they do in MongoDB's own parsers. */
function given(doc: BsonDoc, name: string): BsonValue | undefined {
  return doc.get(name) ?? undefined;
}

export function docArgument(doc: BsonDoc, name: string): BsonDoc | undefined {
  const value = given(doc, name);
  if (value === undefined || value instanceof BsonDoc) return value;
  throw wrongType(name, value, 'object');
}

export function requiredDoc(doc: BsonDoc, name: string, owner: string): BsonDoc {
  const value = docArgument(doc, name);
  if (!value) throw new MongoError(40414, `BSON field '${owner}.${name}' is missing but a required field`);
  return value;
}

export function arrayArgument(doc: BsonDoc, name: string): BsonValue[] | undefined {
  const value = given(doc, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(name, value, 'array');
}

export function stringArgument(doc: BsonDoc, name: string): string | undefined {
  const value = given(doc, name);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, value, 'string');
}

/** Booleans; numbers count as MongoDB's "safe bool". */
export function booleanArgument(doc: BsonDoc, name: string): boolean {
  const value = given(doc, name);
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  const number = asNumber(value);
  if (number === undefined) throw wrongType(name, value, 'bool');
  return number !== 0;
}

export function integerArgument(doc: BsonDoc, name: string): number | undefined {
  const value = given(doc, name);
  if (value === undefined) return undefined;
  const number = asNumber(value);
  if (number === undefined) throw wrongType(name, value, 'long');
  if (!Number.isInteger(number)) throw new MongoError('FailedToParse', `Expected an integer: ${name}: ${number}`);
  return number;
}

/** An integer that may not be below zero: skip, limit, batchSize. */
export function countArgument(doc: BsonDoc, name: string): number | undefined {
  const number = integerArgument(doc, name);
  if (number !== undefined && number < 0) {
    throw new MongoError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  }
  return number;
}

/** The collection a command names by its own first field. */
export function collectionArgument({ name, body }: CommandRequest): string {
  const value = body.values[0];
  if (typeof value !== 'string') {
    throw new MongoError('InvalidNamespace', `collection name has invalid type in command ${name}`);
  }
  if (value === '')
    throw new MongoError('InvalidNamespace', 'Invalid namespace specified: the collection name is empty');
  if (value.includes('\0')) throw new MongoError('InvalidNamespace', 'namespaces cannot have embedded null characters');
  return value;
}

export const maxWriteBatchSize = 100_000;

/** How many documents or statements one write command may carry. */
export function checkBatchSize(count: number): void {
  if (count >= 1 && count <= maxWriteBatchSize) return;
  throw new MongoError(
    'InvalidLength',
    `Write batch sizes must be between 1 and ${maxWriteBatchSize}. Got ${count} operations.`,
  );
}

export function maxTimeMs(body: BsonDoc): number {
  return countArgument(body, 'maxTimeMS') ?? 0;
}

/** Cursor ids travel as int64 and are matched by their text. */
export function longArgument(value: BsonValue | undefined, name: string): bigint {
  if (value instanceof Long) return value.toBigInt();
  throw wrongType(name, value ?? null, 'long');
}

import { isDeepStrictEqual } from 'node:util';
import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import type { Json } from './format.js';

export type Entities = ReadonlyMap<string, unknown>;

/** Returns where and how the actual value differs from the expected one; undefined when it matches. */
export function mismatch(
  expected: unknown,
  actual: unknown,
  entities: Entities,
  root = true,
  path = '',
): string | undefined {
  const operator = operatorIn(expected);
  if (operator) return special(operator, expected as Json, actual, entities, path);
  if (Array.isArray(expected)) return arrays(expected, actual, entities, path);
  if (isPlain(expected)) return documents(expected, actual, entities, root, path);
  if (same(expected, actual) || (isEquality(actual) && same(expected, actual.$eq))) return undefined;
  return `${path || 'value'}: expected ${show(expected)}, found ${show(actual)}`;
}

const OPERATORS = [
  '$$exists',
  '$$type',
  '$$unsetOrMatches',
  '$$matchesEntity',
  '$$matchesHexBytes',
  '$$sessionLsid',
  '$$matchAsRoot',
  '$$matchAsDocument',
  '$$lte',
];

function operatorIn(value: unknown): string | undefined {
  if (!isPlain(value)) return undefined;
  const [first] = Object.keys(value);
  if (first?.startsWith('$$') && !OPERATORS.includes(first)) throw new Error(`the matcher ${first} is not known`);
  return first?.startsWith('$$') ? first : undefined;
}

function special(
  operator: string,
  expected: Json,
  actual: unknown,
  entities: Entities,
  path: string,
): string | undefined {
  const argument = expected[operator];
  switch (operator) {
    case '$$exists':
      return (actual !== undefined) === argument
        ? undefined
        : `${path}: expected to be ${argument ? 'there' : 'missing'}`;
    case '$$unsetOrMatches':
      return actual === undefined || actual === null ? undefined : mismatch(argument, actual, entities, true, path);
    case '$$matchAsRoot':
      return mismatch(argument, actual, entities, true, path);
    case '$$matchAsDocument':
      if (typeof actual !== 'string') return `${path}: ${show(actual)} is not a text with a document`;
      return mismatch(argument, BSON.EJSON.parse(actual, { relaxed: true }), entities, false, path);
    case '$$type': {
      const wanted = Array.isArray(argument) ? argument : [argument];
      return wanted.some((type) => isOfType(type, actual))
        ? undefined
        : `${path}: ${show(actual)} is not of type ${wanted}`;
    }
    case '$$lte':
      return Number(actual) <= Number(argument) ? undefined : `${path}: ${show(actual)} is above ${show(argument)}`;
    case '$$matchesEntity':
      return mismatch(entities.get(String(argument)), actual, entities, true, path);
    case '$$matchesHexBytes': {
      const hex = actual instanceof Uint8Array ? Buffer.from(actual).toString('hex') : undefined;
      return hex === argument ? undefined : `${path}: expected bytes ${argument}, found ${hex}`;
    }
    default: {
      const session = entities.get(String(argument)) as { id?: unknown } | undefined;
      return same(session?.id, actual) ? undefined : `${path}: another session`;
    }
  }
}

function arrays(expected: readonly unknown[], actual: unknown, entities: Entities, path: string): string | undefined {
  if (!Array.isArray(actual)) return `${path}: expected an array, found ${show(actual)}`;
  if (actual.length !== expected.length) return `${path}: expected ${expected.length} elements, found ${show(actual)}`;
  for (const [i, element] of expected.entries()) {
    const found = mismatch(element, actual[i], entities, path === '', `${path}[${i}]`);
    if (found) return found;
  }
  return undefined;
}

function documents(
  expected: Json,
  actual: unknown,
  entities: Entities,
  root: boolean,
  path: string,
): string | undefined {
  // The driver shows a sort as a Map.
  if (actual instanceof Map) return documents(expected, Object.fromEntries(actual), entities, root, path);
  if (typeof actual !== 'object' || actual === null)
    return `${path || 'value'}: expected a document, found ${show(actual)}`;
  for (const [key, value] of Object.entries(expected)) {
    const found = mismatch(value, (actual as Json)[key], entities, false, path ? `${path}.${key}` : key);
    if (found) return found;
  }
  if (root) return undefined;
  const extra = Object.keys(actual).filter((key) => !(key in expected) && (actual as Json)[key] !== undefined);
  return extra.length === 0 ? undefined : `${path}: unexpected ${extra.join(', ')}`;
}

function isPlain(value: unknown): value is Json {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !('_bsontype' in value) &&
    !(value instanceof Date) &&
    !(value instanceof RegExp) &&
    !(value instanceof Uint8Array)
  );
}

/** The driver writes the filter `{ k: v }` as `{ k: { $eq: v } }` for the files of GridFS. */
function isEquality(value: unknown): value is { $eq: unknown } {
  return isPlain(value) && Object.keys(value).join() === '$eq';
}

/** Numbers by value: drivers may choose another type for the same number. */
function same(expected: unknown, actual: unknown): boolean {
  const [left, right] = [expected, actual].map(plainNumber);
  if (typeof left === 'number' && typeof right === 'number')
    return left === right || (Number.isNaN(left) && Number.isNaN(right));
  if (left === null && right === undefined) return false;
  if (left instanceof ObjectId && right instanceof ObjectId) return left.equals(right);
  if (left instanceof Binary && right instanceof Binary)
    return left.toString('hex') === right.toString('hex') && left.sub_type === right.sub_type;
  if (left instanceof Binary && right instanceof Uint8Array)
    return left.toString('hex') === Buffer.from(right).toString('hex');
  return isDeepStrictEqual(left, right);
}

function plainNumber(value: unknown): unknown {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) return value.toNumber();
  return typeof value === 'bigint' ? Number(value) : value;
}

function isOfType(type: unknown, value: unknown): boolean {
  const number = plainNumber(value);
  switch (type) {
    case 'int':
    case 'long':
      return typeof number === 'number' && Number.isInteger(number);
    case 'double':
      return typeof number === 'number';
    case 'number':
      return typeof number === 'number' || value instanceof Decimal128;
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlain(value);
    case 'objectId':
      return value instanceof ObjectId;
    case 'date':
      return value instanceof Date;
    case 'binData':
      return value instanceof Binary || value instanceof Uint8Array;
    case 'decimal':
      return value instanceof Decimal128;
    case 'null':
      return value === null;
    default:
      throw new Error(`the type ${String(type)} is not known`);
  }
}

function show(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one))?.slice(0, 300) ??
    String(value)
  );
}

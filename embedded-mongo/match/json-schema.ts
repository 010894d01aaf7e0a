import type { DecimalParts } from '../bson/decimal.js';
import { decodeRef } from '../bson/decode.js';
import { compareNumbers, integerOf, isNumber, toDecimalParts, toNumber } from '../bson/number.js';
import { ElementCursor, RawRef } from '../bson/raw.js';
import { type BsonDoc, type BsonNumber, type BsonValue, isDoc, isNumberType, T } from '../bson/value.js';
import { equalRaw } from '../compare/compare.js';
import { fail, MongoError } from '../errors.js';
import { encodeRefs, refOf } from '../keystring/encode.js';
import { parseTypes } from './parse.js';
import { compileRegex } from './regex.js';

/** Whether a value passes; keywords about other types always pass. */
type Check = (value: RawRef) => boolean;
type Compile = (argument: BsonValue, schema: BsonDoc) => Check;

function malformed(keyword: string, expectation: string): MongoError {
  return new MongoError('TypeMismatch', `$jsonSchema keyword '${keyword}' must be ${expectation}`);
}

/** Compiles `$jsonSchema` (draft 4 as MongoDB takes it, with `bsonType`); unknown keywords are errors. */
export function compileSchema(schema: BsonDoc): Check {
  checkNotes(schema);
  const checks = keywordsOf(schema).map(([keyword, argument]) => compileKeyword(keyword, argument, schema));
  return (value) => checks.every((check) => check(value));
}

/** Keywords without a check: notes, and modifiers of another keyword. */
const MODIFIERS: Readonly<Record<string, string | undefined>> = {
  title: undefined,
  description: undefined,
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
};

export const noteKeywords: readonly string[] = Object.keys(MODIFIERS);

/** JSON Schema keywords that MongoDB does not support. */
const REFUSED_KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id']);

function checkNotes(schema: BsonDoc): void {
  for (const [keyword, argument] of schema) {
    if (!(keyword in MODIFIERS)) continue;
    const neighbour = MODIFIERS[keyword];
    if (neighbour === undefined && typeof argument !== 'string') throw malformed(keyword, 'a string');
    if (neighbour !== undefined && typeof argument !== 'boolean') throw malformed(keyword, 'a boolean');
    if (neighbour !== undefined && !schema.has(neighbour))
      fail('FailedToParse', `$jsonSchema keyword '${neighbour}' must be a present if ${keyword} is present`);
  }
}

/** The keywords that a value may break. */
export function keywordsOf(schema: BsonDoc): [keyword: string, argument: BsonValue][] {
  return [...schema].filter(([keyword]) => !(keyword in MODIFIERS));
}

/** Compiles the check of one keyword; some keywords read their neighbours in `schema`. */
export function compileKeyword(keyword: string, argument: BsonValue, schema: BsonDoc): Check {
  const compile = KEYWORDS[keyword];
  if (compile) return compile(argument, schema);
  if (REFUSED_KEYWORDS.has(keyword))
    fail('FailedToParse', `$jsonSchema keyword '${keyword}' is not currently supported`);
  fail('FailedToParse', `Unknown $jsonSchema keyword: ${keyword}`);
}

function subSchema(keyword: string, argument: BsonValue | undefined): Check {
  if (!isDoc(argument)) throw malformed(keyword, 'an object');
  return compileSchema(argument);
}

function subSchemas(keyword: string, argument: BsonValue): Check[] {
  if (!Array.isArray(argument) || argument.length === 0) throw malformed(keyword, 'a non-empty array of objects');
  return argument.map((entry) => subSchema(keyword, entry));
}

function count(keyword: string, argument: BsonValue): number {
  const whole = integerOf(argument);
  if (whole === undefined || whole < 0n) throw malformed(keyword, 'a whole number that is not negative');
  return Number(whole);
}

function names(keyword: string, argument: BsonValue): string[] {
  if (!Array.isArray(argument)) throw malformed(keyword, 'an array of strings');
  return argument.map((entry) => {
    if (typeof entry !== 'string') throw malformed(keyword, 'an array of strings');
    return entry;
  });
}

/** The elements of a document or array. */
export function elementsOf(value: RawRef): { name: string; value: RawRef }[] {
  const cursor = new ElementCursor(value.buffer, value.start);
  const elements: { name: string; value: RawRef }[] = [];
  while (cursor.next()) elements.push({ name: cursor.name, value: cursor.into(new RawRef()) });
  return elements;
}

function onType(type: number, check: Check): Check {
  return (value) => value.type !== type || check(value);
}

const elementCount = (value: RawRef): number => elementsOf(value).length;
const textLength = (value: RawRef): number => [...value.buffer.toString('utf8', value.start + 4, value.end - 1)].length;

function limit(type: number, measure: (value: RawRef) => number, holds: (size: number, bound: number) => boolean) {
  return (keyword: string): Compile =>
    (argument) => {
      const bound = count(keyword, argument);
      return onType(type, (value) => holds(measure(value), bound));
    };
}

const atLeast = (size: number, bound: number): boolean => size >= bound;
const atMost = (size: number, bound: number): boolean => size <= bound;

function numberLimit(keyword: string, exclusiveKeyword: string, sign: 1 | -1): Compile {
  return (argument, schema) => {
    if (!isNumber(argument)) throw malformed(keyword, 'a number');
    const exclusive = schema.get(exclusiveKeyword) === true;
    return onNumber((value) => {
      const order = compareNumbers(value, argument) * sign;
      return exclusive ? order > 0 : order >= 0;
    });
  };
}

function onNumber(check: (value: BsonNumber) => boolean): Check {
  return (ref) => {
    if (!isNumberType(ref.type)) return true;
    const value = decodeRef(ref);
    return !isNumber(value) || check(value);
  };
}

function compileProperties(argument: BsonValue): Check {
  if (!isDoc(argument)) throw malformed('properties', 'an object');
  const checks = new Map([...argument].map(([name, schema]) => [name, subSchema('properties', schema)]));
  return onType(T.object, (value) => elementsOf(value).every((one) => checks.get(one.name)?.(one.value) ?? true));
}

function compilePatterns(argument: BsonValue | undefined): { regex: RegExp; check: Check }[] {
  if (argument === undefined) return [];
  if (!isDoc(argument)) throw malformed('patternProperties', 'an object');
  return [...argument].map(([pattern, schema]) => ({
    regex: compileRegex(pattern, ''),
    check: subSchema('patternProperties', schema),
  }));
}

/** Properties that neither `properties` names nor a pattern matches. */
function compileAdditional(argument: BsonValue, schema: BsonDoc): Check {
  const properties = schema.get('properties');
  const known = new Set(isDoc(properties) ? properties.keys : []);
  const patterns = compilePatterns(schema.get('patternProperties'));
  const check = typeof argument === 'boolean' ? () => argument : subSchema('additionalProperties', argument);
  return onType(T.object, (value) =>
    elementsOf(value).every(
      ({ name, value: one }) => known.has(name) || patterns.some(({ regex }) => regex.test(name)) || check(one),
    ),
  );
}

function compileItems(argument: BsonValue): Check {
  if (!Array.isArray(argument)) {
    const check = subSchema('items', argument);
    return onType(T.array, (value) => elementsOf(value).every((one) => check(one.value)));
  }
  const checks = argument.map((entry) => subSchema('items', entry));
  return onType(T.array, (value) => elementsOf(value).every((one, i) => checks[i]?.(one.value) ?? true));
}

function compileAdditionalItems(argument: BsonValue, schema: BsonDoc): Check {
  const items = schema.get('items');
  if (!Array.isArray(items)) return () => true;
  const check = typeof argument === 'boolean' ? () => argument : subSchema('additionalItems', argument);
  return onType(T.array, (value) =>
    elementsOf(value)
      .slice(items.length)
      .every((one) => check(one.value)),
  );
}

function compileDependencies(argument: BsonValue): Check {
  if (!isDoc(argument)) throw malformed('dependencies', 'an object');
  const rules = [...argument].map(([name, rule]) => {
    const needed = Array.isArray(rule) ? compileRequired(rule) : subSchema('dependencies', rule);
    return { name, needed };
  });
  return onType(T.object, (value) => {
    const present = new Set(elementsOf(value).map((one) => one.name));
    return rules.every(({ name, needed }) => !present.has(name) || needed(value));
  });
}

function compileRequired(argument: BsonValue): Check {
  const required = names('required', argument);
  return onType(T.object, (value) => {
    const present = new Set(elementsOf(value).map((one) => one.name));
    return required.every((name) => present.has(name));
  });
}

function compileUnique(argument: BsonValue): Check {
  if (typeof argument !== 'boolean') throw malformed('uniqueItems', 'a boolean');
  if (!argument) return () => true;
  return onType(T.array, (value) => {
    const keys = elementsOf(value).map((one) => encodeRefs([one.value], [1]).toString('latin1'));
    return new Set(keys).size === keys.length;
  });
}

function compileEnum(argument: BsonValue): Check {
  if (!Array.isArray(argument) || argument.length === 0) throw malformed('enum', 'a non-empty array');
  const allowed = argument.map((entry) => refOf(entry) ?? new RawRef());
  return (value) => allowed.some((one) => equalRaw(value, one));
}

function compileMultiple(argument: BsonValue): Check {
  if (!isNumber(argument) || !(toNumber(argument) > 0) || !Number.isFinite(toNumber(argument)))
    throw malformed('multipleOf', 'a number above 0');
  return onNumber((value) => isMultiple(toDecimalParts(value), toDecimalParts(argument)));
}

/** Exact: with doubles 0.3 would not be a multiple of 0.1. */
function isMultiple(value: DecimalParts, divisor: DecimalParts): boolean {
  if (value.kind !== 'finite') return false;
  const exponent = Math.min(value.exponent, divisor.exponent);
  const scaled = (parts: DecimalParts): bigint => parts.coefficient * 10n ** BigInt(parts.exponent - exponent);
  return scaled(value) % scaled(divisor) === 0n;
}

/** JSON names of types; `integer` and `number` differ from `bsonType`'s. */
function compileJsonType(argument: BsonValue): Check {
  const translated = (Array.isArray(argument) ? argument : [argument]).map((name) => {
    if (name === 'integer') fail('FailedToParse', "$jsonSchema type 'integer' is not currently supported.");
    if (typeof name !== 'string' || !['object', 'array', 'number', 'boolean', 'string', 'null'].includes(name))
      fail('BadValue', 'Unknown type name alias in $jsonSchema type');
    return name === 'boolean' ? 'bool' : name;
  });
  return compileTypes(translated);
}

function compileTypes(argument: BsonValue): Check {
  const types = parseTypes(argument, "$jsonSchema keyword 'bsonType' must name at least one type");
  return (value) => types.has(value.type);
}

export const KEYWORDS: Readonly<Record<string, Compile>> = {
  bsonType: compileTypes,
  type: compileJsonType,
  required: compileRequired,
  properties: compileProperties,
  patternProperties: (argument) => {
    const patterns = compilePatterns(argument);
    return onType(T.object, (value) =>
      elementsOf(value).every(({ name, value: one }) =>
        patterns.every(({ regex, check }) => !regex.test(name) || check(one)),
      ),
    );
  },
  additionalProperties: compileAdditional,
  items: compileItems,
  additionalItems: compileAdditionalItems,
  uniqueItems: compileUnique,
  dependencies: compileDependencies,
  enum: compileEnum,
  multipleOf: compileMultiple,
  minimum: numberLimit('minimum', 'exclusiveMinimum', 1),
  maximum: numberLimit('maximum', 'exclusiveMaximum', -1),
  minItems: limit(T.array, elementCount, atLeast)('minItems'),
  maxItems: limit(T.array, elementCount, atMost)('maxItems'),
  minProperties: limit(T.object, elementCount, atLeast)('minProperties'),
  maxProperties: limit(T.object, elementCount, atMost)('maxProperties'),
  minLength: limit(T.string, textLength, atLeast)('minLength'),
  maxLength: limit(T.string, textLength, atMost)('maxLength'),
  pattern: (argument) => {
    if (typeof argument !== 'string') throw malformed('pattern', 'a string');
    const regex = compileRegex(argument, '');
    return onType(T.string, (value) => regex.test(value.buffer.toString('utf8', value.start + 4, value.end - 1)));
  },
  allOf: (argument) => {
    const checks = subSchemas('allOf', argument);
    return (value) => checks.every((check) => check(value));
  },
  anyOf: (argument) => {
    const checks = subSchemas('anyOf', argument);
    return (value) => checks.some((check) => check(value));
  },
  oneOf: (argument) => {
    const checks = subSchemas('oneOf', argument);
    return (value) => checks.filter((check) => check(value)).length === 1;
  },
  not: (argument) => {
    const check = subSchema('not', argument);
    return (value) => !check(value);
  },
};

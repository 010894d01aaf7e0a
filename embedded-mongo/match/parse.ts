import type { BSONRegExp } from 'bson';
import { integerOf, isNumber, toInteger, toNumber, wholePart } from '../bson/number.js';
import { type BsonDoc, type BsonValue, hasTag, isDoc, T, TYPE_BY_NAME, typeOf } from '../bson/value.js';
import { fail, MongoError } from '../errors.js';
import { parseText, type TextArguments } from '../text/search.js';
import { parseBits } from './leaf.js';
import { compileRegex, literalPrefix } from './regex.js';

/** A parsed filter. A leaf names a dotted path; inside `elemMatch` by value the path is empty. */
export type MatchNode =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly children: readonly MatchNode[] }
  | { readonly kind: 'not'; readonly child: MatchNode }
  | { readonly kind: 'never' }
  /** Passes with this probability. */
  | { readonly kind: 'sample'; readonly rate: number }
  | { readonly kind: 'expr'; readonly expression: BsonValue }
  | { readonly kind: 'schema'; readonly schema: BsonDoc }
  | { readonly kind: 'text'; readonly given: TextArguments }
  | LeafNode;

export type RangeOperator = 'gt' | 'gte' | 'lt' | 'lte';

export type LeafNode =
  | { readonly kind: 'eq'; readonly path: string; readonly value: BsonValue }
  | {
      readonly kind: 'in';
      readonly path: string;
      readonly values: readonly BsonValue[];
      readonly regexes: readonly BSONRegExp[];
    }
  | { readonly kind: 'range'; readonly path: string; readonly operator: RangeOperator; readonly value: BsonValue }
  | { readonly kind: 'exists'; readonly path: string }
  | RegexNode
  | { readonly kind: 'type'; readonly path: string; readonly types: ReadonlySet<number> }
  | { readonly kind: 'mod'; readonly path: string; readonly divisor: bigint; readonly remainder: bigint }
  | { readonly kind: 'size'; readonly path: string; readonly size: number }
  | { readonly kind: 'bits'; readonly path: string; readonly test: BitsTest; readonly positions: readonly number[] }
  | {
      readonly kind: 'elemMatch';
      readonly path: string;
      /** `object`: paths of the child start at the element; `value`: they are empty. */
      readonly mode: 'object' | 'value';
      readonly child: MatchNode;
    };

interface RegexNode {
  readonly kind: 'regex';
  readonly path: string;
  readonly pattern: string;
  readonly options: string;
  /** The literal prefix of every match of an anchored, case-sensitive pattern, usable as a range. */
  readonly prefix?: string;
}

export type BitsTest = 'allSet' | 'allClear' | 'anySet' | 'anyClear';

function bad(message: string): MongoError {
  return new MongoError('BadValue', message);
}

/** Parses a filter document; unsupported parts are errors that name them. */
export function parseFilter(filter: BsonDoc): MatchNode {
  const children: MatchNode[] = [];
  for (const [key, value] of filter) {
    const node = key.startsWith('$') ? parseTopLevel(key, value) : parseField(key, value);
    if (node) children.push(node);
  }
  return allOf(children);
}

function allOf(children: readonly MatchNode[]): MatchNode {
  const flat = children.flatMap((child) => (child.kind === 'and' ? child.children : [child]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind: 'and', children: flat };
}

function parseTopLevel(key: string, value: BsonValue): MatchNode | undefined {
  switch (key) {
    case '$and':
      return allOf(parseList(key, value));
    case '$or':
    case '$nor':
      return { kind: key === '$or' ? 'or' : 'nor', children: parseList(key, value) };
    case '$expr':
      return { kind: 'expr', expression: value };
    case '$jsonSchema':
      if (!isDoc(value)) fail('TypeMismatch', '$jsonSchema must be an object');
      return { kind: 'schema', schema: value };
    case '$sampleRate':
      return { kind: 'sample', rate: parseRate(value) };
    case '$comment':
      return undefined;
    case '$alwaysTrue':
      return { kind: 'and', children: [] };
    case '$alwaysFalse':
      return { kind: 'never' };
    case '$text':
      return { kind: 'text', given: parseText(value) };
    case '$where':
      throw bad(`${key} is not supported by this server`);
    default:
      throw bad(
        `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function parseRate(value: BsonValue): number {
  const rate = isNumber(value) ? toNumber(value) : Number.NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw bad('numeric argument to $sampleRate must be in [0, 1]');
}

function parseList(key: string, value: BsonValue): MatchNode[] {
  if (!Array.isArray(value)) throw bad(`${key} argument must be an array`);
  if (value.length === 0) throw bad(`${key} argument must be a non-empty array`);
  return value.map((entry) => {
    if (!isDoc(entry)) throw bad(`${key} argument's entries must be objects`);
    return parseFilter(entry);
  });
}

/** Whether a value is `{ $operator: … }`; database references (`$ref`, `$id`, `$db`) are plain values. */
export function isOperatorDoc(value: BsonValue): value is BsonDoc {
  if (!isDoc(value)) return false;
  const first = value.keys[0];
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
}

function parseField(path: string, value: BsonValue): MatchNode {
  if (isOperatorDoc(value)) return parseOperators(path, value);
  return parseEquality(path, value);
}

function parseEquality(path: string, value: BsonValue): LeafNode {
  if (hasTag(value, 'BSONRegExp')) {
    const regex = value;
    return regexNode(path, regex.pattern, regex.options);
  }
  return equality(path, value);
}

function equality(path: string, value: BsonValue): LeafNode {
  if (typeOf(value) === T.undefined) throw bad('cannot compare to undefined');
  return { kind: 'eq', path, value };
}

/** The operators of one field, all of which must hold. */
export function parseOperators(path: string, operators: BsonDoc): MatchNode {
  const children: MatchNode[] = [];
  for (const [operator, value] of operators) {
    if (operator === '$options') {
      if (!operators.has('$regex')) throw bad('$options needs a $regex');
      continue;
    }
    if (operator === '$comment') continue;
    children.push(
      operator === '$regex' ? parseRegex(path, value, operators.get('$options')) : parseOne(path, operator, value),
    );
  }
  return allOf(children);
}

const RANGE_OPERATORS = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' } as const;

function parseOne(path: string, operator: string, value: BsonValue): MatchNode {
  switch (operator) {
    case '$eq':
      return equality(path, value);
    case '$ne':
      if (hasTag(value, 'BSONRegExp')) throw bad("Can't have regex as arg to $ne.");
      return { kind: 'not', child: equality(path, value) };
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return rangeNode(path, RANGE_OPERATORS[operator], value);
    case '$in':
      return inNode(path, operator, value);
    case '$nin':
      return { kind: 'not', child: inNode(path, operator, value) };
    case '$not':
      return { kind: 'not', child: parseNot(path, value) };
    case '$exists': {
      const exists: MatchNode = { kind: 'exists', path };
      return isTruthy(value) ? exists : { kind: 'not', child: exists };
    }
    case '$all':
      return parseAll(path, value);
    case '$elemMatch':
      return parseElemMatch(path, value);
    case '$type':
      return { kind: 'type', path, types: parseTypes(value, `${path} must match at least one type`) };
    case '$size':
      return { kind: 'size', path, size: parseSize(value) };
    case '$mod':
      return parseMod(path, value);
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return parseBits(path, operator, value);
    default:
      throw bad(
        isGeographic(operator) ? `${operator} is not supported by this server` : `unknown operator: ${operator}`,
      );
  }
}

function isGeographic(operator: string): boolean {
  return /^\$(geo|near|within|maxDistance|minDistance|uniqueDocs)/.test(operator);
}

/** The truth of an option's value in MongoDB: null, false and zero are false. */
export function isTruthy(value: BsonValue): boolean {
  if (value === null || value === false || typeOf(value) === T.undefined) return false;
  return !isNumber(value) || toInteger(value) !== 0n;
}

function rangeNode(path: string, operator: RangeOperator, value: BsonValue): MatchNode {
  if (hasTag(value, 'BSONRegExp')) throw bad(`Can't have RegEx as arg to non-equality predicate over field '${path}'.`);
  if (typeOf(value) === T.undefined) throw bad('cannot compare to undefined');
  return { kind: 'range', path, operator, value };
}

function inNode(path: string, operator: string, value: BsonValue): LeafNode {
  if (!Array.isArray(value)) throw bad(`${operator} needs an array`);
  const values: BsonValue[] = [];
  const regexes: BSONRegExp[] = [];
  for (const entry of value) {
    if (isOperatorDoc(entry)) throw bad(`cannot nest $ under ${operator}`);
    if (typeOf(entry) === T.undefined) throw bad(`${operator} cannot have undefined`);
    if (hasTag(entry, 'BSONRegExp')) regexes.push(entry);
    else values.push(entry);
  }
  return { kind: 'in', path, values, regexes };
}

function parseNot(path: string, value: BsonValue): MatchNode {
  if (hasTag(value, 'BSONRegExp')) return parseEquality(path, value);
  if (!isDoc(value)) throw bad('$not argument must be a regex or an object');
  if (value.size === 0) throw bad('$not argument must be a non-empty object');
  return parseOperators(path, value);
}

/** `$all` is the conjunction of its entries; different elements may satisfy them. */
function parseAll(path: string, value: BsonValue): MatchNode {
  if (!Array.isArray(value)) throw bad('$all needs an array');
  if (value.length === 0) return { kind: 'never' };
  const elemMatches = value.filter((entry) => isDoc(entry) && entry.keys[0] === '$elemMatch').length;
  if (elemMatches > 0 && elemMatches < value.length) throw bad('$all/$elemMatch has to be consistent');
  const children = value.map((entry): MatchNode => {
    if (isDoc(entry) && entry.keys[0] === '$elemMatch') return parseElemMatch(path, entry.values[0] ?? null);
    if (isOperatorDoc(entry)) throw bad('no $ expressions in $all');
    return parseEquality(path, entry);
  });
  return allOf(children);
}

const LOGICAL_KEYS: ReadonlySet<string> = new Set(['$and', '$or', '$nor', '$expr', '$jsonSchema', '$comment']);

/** `$elemMatch`'s node; exported for the projection of the same name. */
export function parseElemMatch(path: string, value: BsonValue): MatchNode {
  if (!isDoc(value)) throw bad('$elemMatch needs an Object');
  const first = value.keys[0] ?? '';
  if (isOperatorDoc(value) && !LOGICAL_KEYS.has(first))
    return { kind: 'elemMatch', path, mode: 'value', child: parseOperators('', value) };
  const child = parseFilter(value);
  if (hasExpr(child)) throw bad('$expr can only be applied to the top-level document');
  return { kind: 'elemMatch', path, mode: 'object', child };
}

function hasExpr(node: MatchNode): boolean {
  if (node.kind === 'not') return hasExpr(node.child);
  return node.kind === 'expr' || ('children' in node && node.children.some(hasExpr));
}

const NUMBER_TYPES = [T.double, T.int32, T.int64, T.decimal];

/**
 * Type numbers or names, one or several; "number" means all four numeric types. Shared with `$jsonSchema`.
 *
 * @param none the text of the error for an empty list
 */
export function parseTypes(value: BsonValue, none: string): ReadonlySet<number> {
  const entries = Array.isArray(value) ? value : [value];
  if (entries.length === 0) fail('FailedToParse', none);
  return new Set(entries.flatMap(typesOfAlias));
}

function typesOfAlias(alias: BsonValue): number[] {
  if (typeof alias === 'string') {
    if (alias === 'number') return NUMBER_TYPES;
    const type = TYPE_BY_NAME.get(alias);
    if (type === undefined) throw bad(`Unknown type name alias: ${alias}`);
    return [type];
  }
  if (!isNumber(alias)) fail('TypeMismatch', 'type must be represented as a number or a string');
  const code = toInteger(alias);
  if (code === -1n) return [T.minKey];
  const known = code !== undefined && [...TYPE_BY_NAME.values()].find((type) => BigInt(type) === code);
  if (!known || known === T.minKey) throw bad(`Invalid numerical type code: ${code ?? 'not a whole number'}`);
  return [known];
}

function parseSize(value: BsonValue): number {
  const size = integerOf(value);
  if (size === undefined)
    throw bad(`Failed to parse $size. Expected ${isNumber(value) ? 'an integer' : 'a number in'}: $size`);
  if (size < 0n) throw bad('Failed to parse $size. Expected a non-negative number in: $size');
  return Number(size);
}

function modPart(value: BsonValue | undefined, name: string): bigint {
  if (value === undefined) throw bad('malformed mod, not enough elements');
  if (!isNumber(value)) throw bad(`malformed mod, ${name} not a number`);
  const whole = wholePart(value);
  if (whole !== undefined) return whole;
  const cause = Number.isFinite(toNumber(value))
    ? 'Out of bounds coercing to integral value'
    : 'Unable to coerce NaN/Inf to integral type';
  throw bad(`malformed mod, ${name} value is invalid :: caused by :: ${cause}`);
}

function parseMod(path: string, value: BsonValue): MatchNode {
  if (!Array.isArray(value)) throw bad('malformed mod, needs to be an array');
  const divisor = modPart(value[0], 'divisor');
  const remainder = modPart(value[1], 'remainder');
  if (value.length > 2) throw bad('malformed mod, too many elements');
  if (divisor === 0n) throw bad('divisor cannot be 0');
  return { kind: 'mod', path, divisor, remainder };
}

function parseRegex(path: string, value: BsonValue, optionsValue: BsonValue | undefined): MatchNode {
  if (optionsValue !== undefined && typeof optionsValue !== 'string') throw bad('$options has to be a string');
  if (typeof value === 'string') return regexNode(path, value, optionsValue ?? '');
  if (!hasTag(value, 'BSONRegExp')) throw bad('$regex has to be a string');
  const regex = value;
  if (regex.options && optionsValue) fail(51075, 'options set in both $regex and $options');
  return regexNode(path, regex.pattern, optionsValue ?? regex.options);
}

function regexNode(path: string, pattern: string, options: string): LeafNode {
  compileRegex(pattern, options);
  const prefix = literalPrefix(pattern, options);
  return { kind: 'regex', path, pattern, options, ...(prefix === undefined ? {} : { prefix }) };
}

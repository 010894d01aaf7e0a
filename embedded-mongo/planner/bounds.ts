import { Double } from 'bson';
import { isNumber } from '../bson/number.js';
import { BsonDoc, type BsonValue, canonicalOrder, T, typeOf } from '../bson/value.js';
import type { Collation } from '../compare/collation.js';
import { candidateKeys, holdsText } from '../keystring/collated.js';
import { afterPrefix, type Direction, encodeKey, refOf, typePrefix } from '../keystring/encode.js';
import type { LeafNode } from '../match/parse.js';

/** A range of one field's key strings, `high` exclusive; `point` for the key of one value. */
export interface FieldInterval {
  readonly low: Buffer;
  readonly high: Buffer;
  readonly point: boolean;
}

/** The key bounds that the predicates on one field imply. */
interface FieldBounds {
  readonly intervals: readonly FieldInterval[];
  /** Every key inside belongs to a matching value, and vice versa (not for multikey indexes). */
  readonly exact: boolean;
  /** A missing field cannot match: sparse indexes may be used. */
  readonly excludesMissing: boolean;
  /** The predicates that these bounds cover. */
  readonly covered: readonly LeafNode[];
}

/** Bounds of the predicates on one field; undefined when no index on it helps. */
export function fieldBounds(
  leaves: readonly LeafNode[],
  direction: Direction,
  multikey: boolean,
): FieldBounds | undefined {
  return (
    equalityBounds(leaves, direction) ?? rangeBounds(leaves, direction, multikey) ?? regexBounds(leaves, direction)
  );
}

function equalityBounds(leaves: readonly LeafNode[], direction: Direction): FieldBounds | undefined {
  for (const leaf of leaves) {
    if (leaf.kind === 'eq' && isKeyable(leaf.value)) return pointBounds(leaf, [leaf.value], direction);
    if (leaf.kind === 'in' && leaf.regexes.length === 0 && leaf.values.every(isKeyable))
      return pointBounds(leaf, leaf.values, direction);
  }
  return undefined;
}

/** Arrays are indexed by their elements, so equality with a whole array is not a key. */
function isKeyable(value: BsonValue): boolean {
  return !Array.isArray(value);
}

function pointBounds(leaf: LeafNode, values: readonly BsonValue[], direction: Direction): FieldBounds {
  const distinct = sortedKeys(values.map((value) => encodeKey([value], [direction])));
  return {
    intervals: distinct.map((low) => ({ low, high: afterPrefix(low), point: true })),
    // null also matches missing; documents have other comparison rules.
    exact: values.every((value) => value !== null && !(value instanceof BsonDoc)),
    excludesMissing: !values.includes(null),
    covered: [leaf],
  };
}

/**
 * Sorts keys and removes duplicates. As strings with one character for each byte they sort several times faster than
 * with `Buffer.compare`, which for long lists cost more than the lookups.
 */
function sortedKeys(keys: readonly Buffer[]): readonly Buffer[] {
  if (keys.length < 2) return keys;
  const byText = new Map(keys.map((key) => [key.toString('latin1'), key] as const));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

type RangeLeaf = Extract<LeafNode, { kind: 'range' }>;

function rangeBounds(leaves: readonly LeafNode[], direction: Direction, multikey: boolean): FieldBounds | undefined {
  const ranges = leaves.filter((leaf): leaf is RangeLeaf => leaf.kind === 'range' && isRangeable(leaf.value));
  const first = ranges[0];
  if (!first) return undefined;
  const place = canonicalOrder(typeOf(first.value));
  // Different elements of an array may satisfy each comparison, so on a multikey index only one of them bounds.
  const used = multikey ? [first] : ranges.filter((leaf) => canonicalOrder(typeOf(leaf.value)) === place);
  let low = bracketLow(first.value, direction);
  let high = bracketHigh(first.value, direction);
  for (const leaf of used) {
    const key = encodeKey([leaf.value], [direction]);
    const inclusive = leaf.operator === 'gte' || leaf.operator === 'lte';
    const isFrom = leaf.operator === 'gt' || leaf.operator === 'gte';
    if (isFrom === direction > 0) low = later(low, inclusive ? key : afterPrefix(key));
    else high = earlier(high, inclusive ? afterPrefix(key) : key);
  }
  const interval = { low, high, point: false };
  return {
    intervals: Buffer.compare(low, high) < 0 ? [interval] : [],
    exact: !used.some((leaf) => isNotANumber(leaf.value)),
    excludesMissing: true,
    covered: used,
  };
}

/** Types with a key order that equals the operator order within one bracket; the matcher handles the rest. */
const RANGEABLE_TYPES: ReadonlySet<number> = new Set([
  T.double,
  T.int32,
  T.int64,
  T.decimal,
  T.string,
  T.object,
  T.binary,
  T.objectId,
  T.bool,
  T.date,
  T.timestamp,
]);

function isRangeable(value: BsonValue): boolean {
  return RANGEABLE_TYPES.has(typeOf(value)) && !isNotANumber(value);
}

function isNotANumber(value: BsonValue): boolean {
  return isNumber(value) && Number.isNaN(Number(value.toString()));
}

const notANumber = new Double(Number.NaN);

/** NaN sorts below all numbers but is neither less nor greater than any. */
function bracketLow(value: BsonValue, direction: Direction): Buffer {
  if (isNumber(value) && direction > 0) return afterPrefix(encodeKey([notANumber], [direction]));
  return typePrefix(value, direction);
}

function bracketHigh(value: BsonValue, direction: Direction): Buffer {
  if (isNumber(value) && direction < 0) return encodeKey([notANumber], [direction]);
  return afterPrefix(typePrefix(value, direction));
}

function later(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

function earlier(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) <= 0 ? a : b;
}

/** An anchored pattern bounds strings by its literal beginning; stored regular expressions may match it too. */
function regexBounds(leaves: readonly LeafNode[], direction: Direction): FieldBounds | undefined {
  for (const leaf of leaves) {
    if (leaf.kind !== 'regex' || !leaf.prefix) continue;
    const whole = encodeKey([leaf.prefix], [direction]);
    // Without the end mark: all strings with this prefix.
    const low = whole.subarray(0, whole.length - 1);
    const strings = { low, high: afterPrefix(low), point: false };
    const place = canonicalOrder(T.regex);
    const start = Buffer.from([direction > 0 ? place : ~place & 0xff]);
    const patterns = { low: start, high: afterPrefix(start), point: false };
    const intervals = direction > 0 ? [strings, patterns] : [patterns, strings];
    return { intervals, exact: false, excludesMissing: true, covered: [leaf] };
  }
  return undefined;
}

/** Whether a predicate depends on the collation. */
export function comparesText(leaf: LeafNode): boolean {
  if (leaf.kind === 'eq' || leaf.kind === 'range') return isText(leaf.value);
  return leaf.kind === 'in' && (leaf.regexes.length > 0 || leaf.values.some(isText));
}

function isText(value: BsonValue): boolean {
  const ref = refOf(value);
  return ref !== undefined && holdsText(ref);
}

/**
 * The key ranges of values that may equal an equality's value in a collated index; every document must still be
 * matched.
 */
export function collatedBounds(
  leaves: readonly LeafNode[],
  direction: Direction,
  collation: Collation,
): FieldBounds | undefined {
  for (const leaf of leaves) {
    if (leaf.kind !== 'eq' && !(leaf.kind === 'in' && leaf.regexes.length === 0)) continue;
    const values = leaf.kind === 'eq' ? [leaf.value] : leaf.values;
    if (values.some((value) => Array.isArray(value))) continue;
    const keys = values.flatMap((value) => candidatesOf(value, direction, collation)).sort(Buffer.compare);
    return {
      intervals: disjoint(keys),
      exact: false,
      excludesMissing: !values.includes(null),
      covered: [leaf],
    };
  }
  return undefined;
}

function candidatesOf(value: BsonValue, direction: Direction, collation: Collation): Buffer[] {
  const ref = refOf(value);
  return ref ? candidateKeys(ref, direction, collation) : [];
}

/** Keeps the widest prefixes only. They are not points, because their values may differ. */
function disjoint(sorted: readonly Buffer[]): FieldInterval[] {
  const intervals: FieldInterval[] = [];
  for (const low of sorted) {
    const last = intervals.at(-1);
    if (last && Buffer.compare(low, last.high) < 0) continue;
    intervals.push({ low, high: afterPrefix(low), point: false });
  }
  return intervals;
}

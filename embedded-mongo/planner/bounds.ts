import { Double } from 'bson';
import { isNumber } from '../bson/number.js';
import { canonicalOrder, T } from '../bson/types.js';
import { BsonDoc, type BsonValue, typeOf } from '../bson/value.js';
import { afterPrefix, type Direction, encodeKey, typePrefix } from '../keystring/encode.js';
import type { LeafNode } from '../match/node.js';

/** A stretch of one field's key strings, `high` exclusive; `point` when it is one value's key. */
export interface FieldInterval {
  readonly low: Buffer;
  readonly high: Buffer;
  readonly point: boolean;
}

/** What predicates on one field say about its keys. */
export interface FieldBounds {
  readonly intervals: readonly FieldInterval[];
  /** Every key inside belongs to a value that matches, and the other way round (not for multikey indexes). */
  readonly exact: boolean;
  /** A missing field cannot match: sparse indexes may be used. */
  readonly excludesMissing: boolean;
  /** The predicates these bounds speak for. */
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
    if (leaf.kind === 'in' && leaf.regexes.length === 0 && leaf.values.every(isKeyable)) {
      return pointBounds(leaf, leaf.values, direction);
    }
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
    // null stands for missing and more; documents compare by rules of their own.
    exact: values.every((value) => value !== null && !(value instanceof BsonDoc)),
    excludesMissing: !values.includes(null),
    covered: [leaf],
  };
}

/**
 * In order and without repetitions. As strings of one character a byte they sort several times faster than by calls
 * into `Buffer.compare`, which for long lists cost more than the look-ups themselves.
 */
function sortedKeys(keys: readonly Buffer[]): readonly Buffer[] {
  if (keys.length < 2) return keys;
  const byText = new Map(keys.map((key) => [key.toString('latin1'), key] as const));
  return [...byText.keys()].sort().map((text) => byText.get(text) as Buffer);
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

/** Types whose order by key is the order by operator within one bracket; the rest is left to the matcher. */
const rangeableTypes: ReadonlySet<number> = new Set([
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
  return rangeableTypes.has(typeOf(value)) && !isNotANumber(value);
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
    // Without the end mark: everything that begins so.
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

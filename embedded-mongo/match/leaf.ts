import type { BSONRegExp } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { isNan, isNumber } from '../bson/number.js';
import { ElementCursor, RawRef } from '../bson/raw.js';
import { canonicalOrder, isNumberType, T } from '../bson/types.js';
import type { BsonValue } from '../bson/value.js';
import type { TextOrder } from '../compare/collation.js';
import { compareRaw, equalRaw } from '../compare/compare-raw.js';
import { refOf } from '../keystring/encode.js';
import { compileBits } from './bits.js';
import type { LeafNode, RangeOperator } from './node.js';
import { wholePart } from './parse.js';
import { compileRegex } from './regex.js';
import type { LeafTest } from './traverse.js';

type Leaf<K extends LeafNode['kind']> = Extract<LeafNode, { kind: K }>;

/** The test of one leaf; its constants are bytes already, so that stored values need no decoding. */
export function compileLeaf(node: Exclude<LeafNode, { kind: 'elemMatch' }>, text?: TextOrder): LeafTest {
  switch (node.kind) {
    case 'eq':
      return equalTest(node.value, text);
    case 'in':
      return inTest(node, text);
    case 'range':
      return rangeTest(node.operator, node.value, text);
    case 'exists':
      return { test: () => true, missing: false, intoArray: false };
    case 'regex':
      return { test: regexTest(node.pattern, node.options), missing: false, intoArray: true };
    case 'type':
      return { test: (value) => node.types.has(value.type), missing: false, intoArray: true };
    case 'mod':
      return { test: modTest(node), missing: false, intoArray: true };
    case 'size':
      return {
        test: (value) => value.type === T.array && countElements(value) === node.size,
        missing: false,
        intoArray: false,
      };
    case 'bits':
      return { test: compileBits(node.test, node.positions), missing: false, intoArray: true };
  }
}

function constant(value: BsonValue): RawRef {
  return refOf(value) ?? new RawRef();
}

function equalTest(value: BsonValue, text: TextOrder | undefined): LeafTest {
  const expected = constant(value);
  return { test: (ref) => equalRaw(ref, expected, text), missing: value === null, intoArray: true };
}

const searchAbove = 8;

function inTest({ values, regexes }: Leaf<'in'>, text: TextOrder | undefined): LeafTest {
  const expected = values.map(constant).sort((a, b) => compareRaw(a, b, text));
  const matchers = regexes.map((regex: BSONRegExp) => regexTest(regex.pattern, regex.options));
  const among =
    expected.length > searchAbove
      ? sortedSearch(expected, text)
      : (ref: RawRef) => expected.some((one) => equalRaw(ref, one, text));
  return {
    test: (ref) => among(ref) || matchers.some((matches) => matches(ref)),
    missing: values.includes(null),
    intoArray: true,
  };
}

function sortedSearch(sorted: readonly RawRef[], text: TextOrder | undefined): (ref: RawRef) => boolean {
  return (ref) => {
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = compareRaw(sorted[middle] as RawRef, ref, text);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  };
}

/** Comparisons stay within the type of their operand; MinKey and MaxKey as operands compare with everything. */
function rangeTest(operator: RangeOperator, value: BsonValue, text: TextOrder | undefined): LeafTest {
  const operand = constant(value);
  const place = canonicalOrder(operand.type);
  const orEqual = operator === 'gte' || operator === 'lte';
  const upwards = operator === 'gt' || operator === 'gte';
  const beyond = operand.type === (upwards ? T.minKey : T.maxKey);
  const nanOperand = isNumber(value) && isNan(value);
  const test = (ref: RawRef): boolean => {
    if (canonicalOrder(ref.type) !== place) return beyond;
    if (isNumberType(ref.type) && (nanOperand || isNanRef(ref))) return orEqual && nanOperand && isNanRef(ref);
    const order = compareRaw(ref, operand, text);
    return order === 0 ? orEqual : order > 0 === upwards;
  };
  return { test, missing: beyond || (orEqual && value === null), intoArray: true };
}

function isNanRef(ref: RawRef): boolean {
  if (ref.type === T.double) return Number.isNaN(ref.buffer.readDoubleLE(ref.start));
  if (ref.type !== T.decimal) return false;
  const value = decodeRef(ref);
  return isNumber(value) && isNan(value);
}

/** Strings are searched; a stored regular expression matches when it is the same one. */
function regexTest(pattern: string, options: string): (ref: RawRef) => boolean {
  const regex = compileRegex(pattern, options);
  return (ref) => {
    if (ref.type === T.string || ref.type === T.symbol) {
      return regex.test(ref.buffer.toString('utf8', ref.start + 4, ref.end - 1));
    }
    if (ref.type !== T.regex) return false;
    const stored = decodeRef(ref) as BSONRegExp;
    return stored.pattern === pattern && stored.options === options;
  };
}

function modTest({ divisor, remainder }: Leaf<'mod'>): (ref: RawRef) => boolean {
  return (ref) => {
    if (!isNumberType(ref.type)) return false;
    const whole = wholePart(decodeRef(ref));
    return whole !== undefined && whole % divisor === remainder;
  };
}

function countElements(array: RawRef): number {
  const cursor = new ElementCursor(array.buffer, array.start);
  let count = 0;
  while (cursor.next()) count++;
  return count;
}

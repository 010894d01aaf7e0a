import type { Binary, BSONRegExp } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { integerOf, isNan, isNumber, wholePart } from '../bson/number.js';
import { ElementCursor, findField, type Path, RawRef } from '../bson/raw.js';
import { type BsonValue, canonicalOrder, hasTag, isNumberType, T } from '../bson/value.js';
import { itemAt } from '../checked-access.js';
import type { TextOrder } from '../compare/collation.js';
import { compareRaw, equalRaw } from '../compare/compare.js';
import { fail } from '../errors.js';
import { refOf } from '../keystring/encode.js';
import type { BitsTest, LeafNode, MatchNode, RangeOperator } from './parse.js';
import { compileRegex } from './regex.js';

type Leaf<K extends LeafNode['kind']> = Extract<LeafNode, { kind: K }>;

/** Compiles the test of one leaf; its constants are bytes, so stored values need no decoding. */
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

const SEARCH_ABOVE = 8;

function inTest({ values, regexes }: Leaf<'in'>, text: TextOrder | undefined): LeafTest {
  const expected = values.map(constant).sort((a, b) => compareRaw(a, b, text));
  const matchers = regexes.map((regex: BSONRegExp) => regexTest(regex.pattern, regex.options));
  const among =
    expected.length > SEARCH_ABOVE
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
      const order = compareRaw(itemAt(sorted, middle), ref, text);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  };
}

/** Compares within the type of the operand; MinKey and MaxKey as operands compare with everything. */
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

/** Searches strings; a stored regular expression matches an identical one. */
function regexTest(pattern: string, options: string): (ref: RawRef) => boolean {
  const regex = compileRegex(pattern, options);
  return (ref) => {
    if (ref.type === T.string || ref.type === T.symbol)
      return regex.test(ref.buffer.toString('utf8', ref.start + 4, ref.end - 1));
    if (ref.type !== T.regex) return false;
    const stored = decodeRef(ref);
    return hasTag(stored, 'BSONRegExp') && stored.pattern === pattern && stored.options === options;
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

const BITS_TESTS: Readonly<Record<string, BitsTest>> = {
  $bitsAllSet: 'allSet',
  $bitsAllClear: 'allClear',
  $bitsAnySet: 'anySet',
  $bitsAnyClear: 'anyClear',
};

/** `$bitsAllSet` and the other bit operators take a number, binary data, or a list of positions. */
export function parseBits(path: string, operator: string, value: BsonValue): MatchNode {
  const test = BITS_TESTS[operator] ?? fail('BadValue', `unknown operator: ${operator}`);
  return { kind: 'bits', path, test, positions: maskPositions(path, operator, value) };
}

function maskPositions(path: string, operator: string, value: BsonValue): number[] {
  if (Array.isArray(value)) return value.map((entry, at) => position(at, entry));
  if (hasTag(value, 'Binary')) {
    const bytes = binaryBytes(value);
    return Array.from({ length: bytes.length * 8 }, (_, bit) => bit).filter((bit) => byteBit(bytes, bit));
  }
  if (!isNumber(value)) fail('BadValue', `${path} takes an Array, a number, or a BinData but received: ${operator}`);
  const mask = integerOf(value) ?? fail('FailedToParse', `Expected an integer: ${operator}`);
  if (mask < 0n) fail('FailedToParse', `Expected a non-negative number in: ${operator}`);
  return Array.from({ length: 63 }, (_, bit) => bit).filter((bit) => ((mask >> BigInt(bit)) & 1n) === 1n);
}

function position(at: number, value: BsonValue): number {
  const refuse = (reason: string): never => fail('BadValue', `Failed to parse bit position. ${reason}: ${at}`);
  if (!isNumber(value)) return refuse('Expected a number in');
  const bit = integerOf(value);
  if (bit === undefined) return refuse('Expected an integer');
  if (bit > 2_147_483_647n) return refuse('Cannot represent in an int');
  if (bit < 0n) return refuse('Expected a non-negative number in');
  return Number(bit);
}

function binaryBytes(value: Binary): Uint8Array {
  return value.buffer.subarray(0, value.position);
}

function byteBit(bytes: Uint8Array, bit: number): boolean {
  return (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** Whether a stored number or binary passes; other types never do. */
function compileBits(test: BitsTest, positions: readonly number[]): (ref: RawRef) => boolean {
  return (ref) => {
    const bitAt = bitReader(ref);
    if (!bitAt) return false;
    switch (test) {
      case 'allSet':
        return positions.every(bitAt);
      case 'anySet':
        return positions.some(bitAt);
      case 'allClear':
        return !positions.some(bitAt);
      default:
        return !positions.every(bitAt);
    }
  };
}

/** Numbers count as 64 bits in two's complement, with the sign extended above. */
function bitReader(ref: RawRef): ((bit: number) => boolean) | undefined {
  const value = decodeRef(ref);
  if (hasTag(value, 'Binary')) {
    const bytes = binaryBytes(value);
    return (bit) => byteBit(bytes, bit);
  }
  const whole = integerOf(value);
  if (whole === undefined) return undefined;
  return (bit) => ((whole >> BigInt(bit)) & 1n) === 1n;
}

/** A condition on the value at the end of a path. */
export interface LeafTest {
  test(value: RawRef, details: MatchDetails | undefined): boolean;
  /** The result where the path does not exist. */
  readonly missing: boolean;
  /** Whether each element of an array at the end of the path is tested too. */
  readonly intoArray: boolean;
}

/** The array index of the match; the outermost array wins, as positional `$` requires. */
export class MatchDetails {
  arrayIndex = -1;
}

/**
 * Whether any value at a path passes. Arrays on the way fan out over their documents (and over the position that a
 * numeric step names). A document without the field counts as missing; an element that is not a document is skipped.
 */
export function matchPath(root: RawRef, path: Path, leaf: LeafTest, details: MatchDetails | undefined): boolean {
  if (path.length === 0) return leaf.test(root, details);
  return matchInDocument(root, path, 0, leaf, details);
}

function matchInDocument(
  document: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  const value = new RawRef();
  if (!findField(document.buffer, document.start, itemAt(path, step).bytes, value)) return leaf.missing;
  if (step + 1 === path.length) return matchLeaf(value, leaf, details);
  if (value.type === T.object) return matchInDocument(value, path, step + 1, leaf, details);
  if (value.type === T.array) return matchInArray(value, path, step + 1, leaf, details);
  return leaf.missing;
}

function matchInArray(
  array: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  const { index } = itemAt(path, step);
  const cursor = new ElementCursor(array.buffer, array.start);
  const element = new RawRef();
  for (let at = 0; cursor.next(); at++) {
    cursor.into(element);
    const found =
      (element.type === T.object && matchInDocument(element, path, step, leaf, details)) ||
      (at === index && matchAtPosition(element, path, step + 1, leaf, details));
    if (!found) continue;
    if (details) details.arrayIndex = at;
    return true;
  }
  return false;
}

function matchAtPosition(
  element: RawRef,
  path: Path,
  step: number,
  leaf: LeafTest,
  details: MatchDetails | undefined,
): boolean {
  if (step === path.length) return leaf.test(element, details);
  if (element.type === T.object) return matchInDocument(element, path, step, leaf, details);
  return element.type === T.array && matchInArray(element, path, step, leaf, details);
}

function matchLeaf(value: RawRef, leaf: LeafTest, details: MatchDetails | undefined): boolean {
  if (value.type === T.array && leaf.intoArray) {
    const cursor = new ElementCursor(value.buffer, value.start);
    const element = new RawRef();
    for (let at = 0; cursor.next(); at++) {
      if (!leaf.test(cursor.into(element), details)) continue;
      if (details) details.arrayIndex = at;
      return true;
    }
  }
  return leaf.test(value, details);
}

import { integerOf, isNumber, toNumber } from '../../bson/number.js';
import type { BsonValue } from '../../bson/value.js';
import { fail } from '../../errors.js';
import { typeNameOf } from './compiler.js';
import { isNullish } from './frame.js';

/** MongoDB's words for an operand that is no array, after its type. They differ by operator. */
type NoArray = (operator: string, type: string) => string;
export const NO_ARRAY: NoArray = (operator, type) =>
  `The argument to ${operator} must be an array, but was of type: ${type}`;
const NO_ARRAY_IS: NoArray = (operator, type) => `${operator}'s argument must be an array, but is ${type}`;
export const NO_INPUT_ARRAY: NoArray = (operator, type) => `input to ${operator} must be an array not ${type}`;
export const NO_FIRST_ARRAY: NoArray = (operator, type) =>
  `${operator} requires an array as a first argument, found: ${type}`;

/** Returns the array of an operand. Null and missing return undefined, and the operator then returns null. */
export function arrayOf(
  value: BsonValue | undefined,
  operator: string,
  code = 28_689,
  words: NoArray = NO_ARRAY_IS,
): BsonValue[] | undefined {
  if (isNullish(value)) return undefined;
  if (Array.isArray(value)) return value;
  fail(code, words(operator, typeNameOf(value)));
}

/** MongoDB's codes and words for an operand that is not a number, and for one that is not a 32-bit whole number. */
interface WholeFaults {
  readonly codes: readonly [notNumeric: number, notWhole: number];
  notNumeric(type: string): string;
  notWhole(value: number): string;
}

export function whole(value: BsonValue | undefined, { codes, notNumeric, notWhole }: WholeFaults): number {
  if (!isNumber(value)) fail(codes[0], notNumeric(typeNameOf(value)));
  const integer = integerOf(value);
  if (integer === undefined || BigInt.asIntN(32, integer) !== integer) fail(codes[1], notWhole(toNumber(value)));
  return Number(integer);
}

export const INDEX_FAULTS: WholeFaults = {
  codes: [28_690, 28_691],
  notNumeric: (type) => `$arrayElemAt's second argument must be a numeric value, but is ${type}`,
  notWhole: (value) => `$arrayElemAt's second argument must be representable as a 32-bit integer: ${value}`,
};

export const sliceFaults = (which: string, numeric: string, codes: readonly [number, number]): WholeFaults => ({
  codes,
  notNumeric: (type) => `${which} argument to $slice must be ${numeric}, but is of type: ${type}`,
  notWhole: (value) => `${which} argument to $slice can't be represented as a 32-bit integer: ${value}`,
});

export const rangeFaults = (which: string, article: string, codes: readonly [number, number]): WholeFaults => ({
  codes,
  notNumeric: (type) => `$range requires a numeric ${which} value, found value of type: ${type}`,
  notWhole: (value) =>
    `$range requires ${article} ${which} value that can be represented as a 32-bit integer, found value: ${value}`,
});

export const LIMIT_FAULTS: WholeFaults = {
  codes: [327_391, 327_391],
  notNumeric: (type) => `$filter: limit must be represented as a 32-bit integral value: ${type}`,
  notWhole: (value) => `$filter: limit must be represented as a 32-bit integral value: ${value}`,
};

export const COUNT_FAULTS: WholeFaults = {
  codes: [5_787_902, 5_787_903],
  notNumeric: (type) => `Value for 'n' must be of integral type, but found ${type}`,
  notWhole: (value) => `Value for 'n' must be of integral type, but found ${value}`,
};

const anyOf: NoArray = (operator, type) =>
  `All operands of ${operator} must be arrays. One argument is of type: ${type}`;
const bothOf =
  (which: string): NoArray =>
  (operator, type) =>
    `both operands of ${operator} must be arrays. ${which} argument is of type: ${type}`;

/** MongoDB's codes and words for an operand of a set operator that is not an array, by position. */
export const SET_FAULTS: Readonly<Record<string, readonly (readonly [code: number, words: NoArray])[]>> = {
  $setUnion: [[17_043, anyOf]],
  $setIntersection: [[17_047, anyOf]],
  $setDifference: [
    [17_048, bothOf('First')],
    [17_049, bothOf('Second')],
  ],
  $setEquals: [[17_044, anyOf]],
  $setIsSubset: [
    [17_046, bothOf('First')],
    [17_042, bothOf('Second')],
  ],
};

import { Double, Int32 } from 'bson';
import {
  addDecimals,
  type DecimalParts,
  decimalParts,
  divideDecimals,
  finiteDecimal,
  multiplyDecimals,
  negateDecimal,
  signOf,
  toDecimal128,
} from '../../bson/decimal.js';
import {
  addNumbers,
  integerOf,
  isNumber,
  longOrDouble,
  multiplyNumbers,
  negateNumber,
  toDecimalParts,
  toInteger,
  toNumber,
  truncateDecimal,
  widen,
} from '../../bson/number.js';
import { BsonDate, type BsonNumber, type BsonValue } from '../../bson/value.js';
import { type ErrorName, fail } from '../../errors.js';
import { type OperatorCompiler, simple, strict, typeNameOf } from './compiler.js';
import { isNullish } from './frame.js';

function numeric(
  value: BsonValue | undefined,
  operator: string,
  code: ErrorName | number = 'TypeMismatch',
): BsonNumber {
  if (isNumber(value)) return value;
  fail(code, `${operator} only supports numeric types, not ${typeNameOf(value)}`);
}

/** Both numbers of a division. MongoDB names both types. */
function bothNumeric(
  [left, right]: readonly (BsonValue | undefined)[],
  operator: string,
  code: ErrorName | number = 'TypeMismatch',
): readonly [BsonNumber, BsonNumber] {
  if (isNumber(left) && isNumber(right)) return [left, right];
  fail(code, `${operator} only supports numeric types, not ${typeNameOf(left)} and ${typeNameOf(right)}`);
}

/** MongoDB's code for functions of one number. */
const NOT_NUMERIC = 28_765;

function isDate(value: BsonValue | undefined): value is BsonDate {
  return value instanceof BsonDate;
}

/** Adds numbers, and at most one date, which counts in milliseconds. */
function add(values: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (values.some(isNullish)) return null;
  const dates = values.filter(isDate);
  if (dates.length > 1) fail(16_612, 'only one date allowed in an $add expression');
  let sum: BsonNumber = new Int32(0);
  for (const value of values)
    if (isNumber(value)) sum = addNumbers(sum, value, 'double');
    else if (!isDate(value) && value !== undefined)
      fail('TypeMismatch', `${operator} only supports numeric or date types, not ${typeNameOf(value)}`);
  return dates[0] ? shiftDate(dates[0], sum) : sum;
}

function shiftDate(date: BsonDate, by: BsonNumber): BsonDate {
  const whole = toInteger(by) ?? BigInt(Math.round(toNumber(by)));
  return new BsonDate(date.ms + whole);
}

function subtract([left, right]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (isDate(left) && isDate(right)) return longOrDouble(left.ms - right.ms);
  if (isDate(left) && isNumber(right)) return shiftDate(left, negateNumber(right));
  if (isNumber(left) && isNumber(right)) return addNumbers(left, negateNumber(right), 'double');
  fail('TypeMismatch', `can't ${operator} ${typeNameOf(right)} from ${typeNameOf(left)}`);
}

function multiply(values: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  let product: BsonNumber = new Int32(1);
  for (const value of values) {
    if (isNullish(value)) return null;
    product = multiplyNumbers(product, numeric(value, operator), 'double');
  }
  return product;
}

const isDecimal = (value: BsonNumber): boolean => value._bsontype === 'Decimal128';

/** Divides to a double, or to a decimal when an operand is one. */
export function divideNumbers(a: BsonNumber, b: BsonNumber): BsonNumber {
  if (isDecimal(a) || isDecimal(b)) return toDecimal128(divideDecimals(toDecimalParts(a), toDecimalParts(b)));
  return new Double(toNumber(a) / toNumber(b));
}

function divide(values: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  const [a, b] = bothNumeric(values, operator);
  if (toNumber(b) === 0) fail('BadValue', "can't $divide by zero");
  return divideNumbers(a, b);
}

function modulo(values: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  const [a, b] = bothNumeric(values, operator, 16_611);
  if (toNumber(b) === 0) fail(16_610, "can't $mod by zero");
  if (isDecimal(a) || isDecimal(b)) return toDecimal128(decimalRemainder(toDecimalParts(a), toDecimalParts(b)));
  if (a._bsontype === 'Double' || b._bsontype === 'Double') return new Double(toNumber(a) % toNumber(b));
  const remainder = BigInt(a.toString()) % BigInt(b.toString());
  return a._bsontype === 'Int32' && b._bsontype === 'Int32' ? new Int32(Number(remainder)) : longOrDouble(remainder);
}

function decimalRemainder(a: DecimalParts, b: DecimalParts): DecimalParts {
  if (a.kind !== 'finite' || b.kind !== 'finite')
    return b.kind === 'infinity' && a.kind === 'finite' ? a : divideDecimals(b, b);
  const whole = truncateDecimal(divideDecimals(a, b));
  return addDecimals(a, negateDecimal(multiplyDecimals(finiteDecimal(whole, 0), b)));
}

type Rounding = 'floor' | 'ceil' | 'trunc' | 'round';

/** Rounds to `place` digits after the point, as decimal arithmetic does it; whole types stay what they are. */
function roundNumber(value: BsonNumber, mode: Rounding, place: number): BsonNumber {
  if (value._bsontype === 'Decimal128') {
    const parts = decimalParts(value);
    return parts.kind === 'finite' ? toDecimal128(roundParts(parts, mode, place)) : value;
  }
  if (value._bsontype === 'Double') {
    if (place === 0 && mode !== 'round') return new Double(Math[mode](value.value));
    if (!Number.isFinite(value.value)) return value;
    return new Double(Number(toDecimal128(roundParts(toDecimalParts(value), mode, place)).toString()));
  }
  if (place >= 0) return value;
  const rounded = truncateDecimal(roundParts(toDecimalParts(value), mode, place));
  return value._bsontype === 'Int32' ? widen(Number(rounded)) : longOrDouble(rounded);
}

/** Halves go to the even neighbour, as IEEE 754 and MongoDB's `$round` do. */
function roundParts(parts: DecimalParts, mode: Rounding, place: number): DecimalParts {
  const excess = -place - parts.exponent;
  if (excess <= 0) return parts;
  const scale = 10n ** BigInt(Math.min(excess, 7_000));
  let quotient = parts.coefficient / scale;
  const rest = parts.coefficient % scale;
  const upwards =
    mode === 'round'
      ? rest * 2n > scale || (rest * 2n === scale && quotient % 2n === 1n)
      : rest > 0n && (mode === 'ceil' ? !parts.negative : mode === 'floor' && parts.negative);
  if (upwards) quotient += 1n;
  return { kind: 'finite', negative: parts.negative, coefficient: quotient, exponent: -place };
}

function rounding(mode: Rounding, most: number): OperatorCompiler {
  return simple(1, most, ([value, place], operator) => {
    if (isNullish(value)) return null;
    const digits = place === undefined ? 0 : placeOf(place, operator);
    return roundNumber(numeric(value, operator, most === 1 ? NOT_NUMERIC : 51_081), mode, digits);
  });
}

function placeOf(value: BsonValue, operator: string): number {
  if (!isNumber(value)) fail(16_004, `can't convert from BSON type ${typeNameOf(value)} to long`);
  const whole = integerOf(value);
  if (whole === undefined) fail(51_082, `precision argument to ${operator} must be a integral value`);
  if (whole < -20n || whole > 100n)
    fail(51_083, `cannot apply ${operator} with precision value ${whole} value must be in [-20, 100]`);
  return Number(whole);
}

function absolute(value: BsonNumber): BsonNumber {
  if (isDecimal(value)) return signOf(toDecimalParts(value)) < 0 ? negateNumber(value) : value;
  if (value._bsontype === 'Double') return new Double(Math.abs(value.value));
  return toNumber(value) < 0 ? negateNumber(value) : value;
}

/** The least long has no positive counterpart. */
function absoluteOf([value]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  const number = numeric(value, operator, NOT_NUMERIC);
  if (number._bsontype === 'Long' && number.toBigInt() === -(2n ** 63n))
    fail(28_680, "can't take $abs of long long min");
  return absolute(number);
}

/** The domain of a function, and MongoDB's code and text for a number outside of it. */
interface Domain {
  readonly holds: (value: number) => boolean;
  readonly code: number;
  readonly text: (operator: string, value: number) => string;
}

/** The numbers between two bounds, as MongoDB writes them. */
const within = (bounds: string, holds: (value: number) => boolean): Domain => ({
  holds: (value) => holds(value) || Number.isNaN(value),
  code: 50_989,
  text: (operator, value) => `cannot apply ${operator} to ${numberText(value)}, value must be in ${bounds}`,
});
const numberText = (value: number): string => String(value).replace('Infinity', 'inf');
const isPositive = (value: number): boolean => value > 0 || Number.isNaN(value);
const positive = (code: number): Domain => ({
  holds: isPositive,
  code,
  text: (operator, value) => `${operator}'s argument must be a positive number, but is ${numberText(value)}`,
});
const NOT_NEGATIVE: Domain = {
  holds: (value) => !(value < 0),
  code: 28_714,
  text: (operator) => `${operator}'s argument must be greater than or equal to 0`,
};
const FINITE = within('(-inf,inf)', Number.isFinite);
const WITHIN_ONE = within('[-1,1]', (value) => Math.abs(value) <= 1);

/** Functions that always give a double (a decimal in, its nearest double out, as a decimal). */
function real(evaluate: (value: number) => number, domain?: Domain): OperatorCompiler {
  return strict(1, ([value], operator) => {
    const number = numeric(value, operator, NOT_NUMERIC);
    const argument = toNumber(number);
    if (domain && !domain.holds(argument)) fail(domain.code, domain.text(operator, argument));
    const result = new Double(evaluate(argument));
    return isDecimal(number) ? toDecimal128(toDecimalParts(result)) : result;
  });
}

function power([base, exponent]: readonly (BsonValue | undefined)[]): BsonValue {
  if (!isNumber(base)) fail(28_762, `$pow's base must be numeric, not ${typeNameOf(base)}`);
  if (!isNumber(exponent)) fail(28_763, `$pow's exponent must be numeric, not ${typeNameOf(exponent)}`);
  const [a, b] = [base, exponent];
  if (toNumber(a) === 0 && toNumber(b) < 0) fail(28_764, '$pow cannot take a base of 0 and a negative exponent');
  const [whole, times] = [toInteger(a), toInteger(b)];
  const typed = a._bsontype !== 'Double' && b._bsontype !== 'Double' && !isDecimal(a) && !isDecimal(b);
  if (typed && whole !== undefined && times !== undefined && times >= 0n && times < 64n) {
    const result = whole ** times;
    return a._bsontype === 'Int32' && b._bsontype === 'Int32' && BigInt.asIntN(32, result) === result
      ? new Int32(Number(result))
      : longOrDouble(result);
  }
  const result = new Double(toNumber(a) ** toNumber(b));
  return isDecimal(a) || isDecimal(b) ? toDecimal128(toDecimalParts(result)) : result;
}

function logarithm([value, base]: readonly (BsonValue | undefined)[]): BsonValue {
  if (!isNumber(value)) fail(28_756, `$log's argument must be numeric, not ${typeNameOf(value)}`);
  if (!isNumber(base)) fail(28_757, `$log's base must be numeric, not ${typeNameOf(base)}`);
  const [argument, radix] = [toNumber(value), toNumber(base)];
  if (!isPositive(argument)) fail(28_758, `$log's argument must be a positive number, but is ${argument}`);
  if (!isPositive(radix) || radix === 1)
    fail(28_759, `$log's base must be a positive number not equal to 1, but is ${radix}`);
  return new Double(Math.log(argument) / Math.log(radix));
}

export const ARITHMETIC_OPERATORS: Readonly<Record<string, OperatorCompiler>> = {
  $add: simple(0, Number.POSITIVE_INFINITY, add),
  $subtract: strict(2, subtract),
  $multiply: simple(0, Number.POSITIVE_INFINITY, multiply),
  $divide: strict(2, divide),
  $mod: strict(2, modulo),
  $abs: strict(1, absoluteOf),
  $ceil: rounding('ceil', 1),
  $floor: rounding('floor', 1),
  $trunc: rounding('trunc', 2),
  $round: rounding('round', 2),
  $pow: strict(2, power),
  $sqrt: real(Math.sqrt, NOT_NEGATIVE),
  $exp: real(Math.exp),
  $ln: real(Math.log, positive(28_766)),
  $log10: real(Math.log10, positive(28_761)),
  $log: strict(2, logarithm),
  $sin: real(Math.sin, FINITE),
  $cos: real(Math.cos, FINITE),
  $tan: real(Math.tan, FINITE),
  $asin: real(Math.asin, WITHIN_ONE),
  $acos: real(Math.acos, WITHIN_ONE),
  $atan: real(Math.atan),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real(
    Math.acosh,
    within('[1,inf]', (value) => value >= 1),
  ),
  $atanh: real(Math.atanh, WITHIN_ONE),
  $atan2: strict(2, ([y, x], operator) => {
    const [a, b] = [numeric(y, operator, 51_044), numeric(x, operator, 51_045)];
    const result = new Double(Math.atan2(toNumber(a), toNumber(b)));
    return isDecimal(a) || isDecimal(b) ? toDecimal128(toDecimalParts(result)) : result;
  }),
  $degreesToRadians: real((value) => (value * Math.PI) / 180),
  $radiansToDegrees: real((value) => (value * 180) / Math.PI),
};

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
import { MongoError } from '../../errors.js';
import { type OperatorCompiler, simple, typeNameOf } from './compiler.js';
import { isNullish } from './frame.js';

function numeric(value: BsonValue, operator: string): BsonNumber {
  if (isNumber(value)) return value;
  throw new MongoError('TypeMismatch', `${operator} only supports numeric types, not ${typeNameOf(value)}`);
}

function isDate(value: BsonValue | undefined): value is BsonDate {
  return value instanceof BsonDate;
}

/** Numbers, and one date among them, which then counts in milliseconds. */
function add(values: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (values.some(isNullish)) return null;
  const dates = values.filter(isDate);
  if (dates.length > 1) throw new MongoError(16_612, 'only one date allowed in an $add expression');
  let sum: BsonNumber = new Int32(0);
  for (const value of values)
    if (!isDate(value) && value !== undefined) sum = addNumbers(sum, numeric(value, operator), 'double');
  return dates[0] ? shiftDate(dates[0], sum) : sum;
}

function shiftDate(date: BsonDate, by: BsonNumber): BsonDate {
  const whole = toInteger(by) ?? BigInt(Math.round(toNumber(by)));
  return new BsonDate(date.ms + whole);
}

function subtract([left, right]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (isNullish(left) || isNullish(right)) return null;
  if (isDate(left)) {
    return isDate(right) ? longOrDouble(left.ms - right.ms) : shiftDate(left, negateNumber(numeric(right, operator)));
  }
  const [a, b] = [numeric(left, operator), numeric(right, operator)];
  return addNumbers(a, negateNumber(b), 'double');
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

/** Quotients are double unless a decimal takes part. */
export function divideNumbers(a: BsonNumber, b: BsonNumber): BsonNumber {
  if (isDecimal(a) || isDecimal(b)) return toDecimal128(divideDecimals(toDecimalParts(a), toDecimalParts(b)));
  return new Double(toNumber(a) / toNumber(b));
}

function divide([left, right]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (isNullish(left) || isNullish(right)) return null;
  const [a, b] = [numeric(left, operator), numeric(right, operator)];
  if (toNumber(b) === 0) throw new MongoError('BadValue', "can't $divide by zero");
  return divideNumbers(a, b);
}

function modulo([left, right]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (isNullish(left) || isNullish(right)) return null;
  const [a, b] = [numeric(left, operator), numeric(right, operator)];
  if (toNumber(b) === 0) throw new MongoError(16_610, "can't $mod by zero");
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
    return roundNumber(numeric(value, operator), mode, digits);
  });
}

function placeOf(value: BsonValue, operator: string): number {
  const whole = isNumber(value) ? toInteger(value) : undefined;
  if (whole === undefined || whole < -20n || whole > 100n) {
    throw new MongoError(51_083, `${operator} needs a whole place between -20 and 100`);
  }
  return Number(whole);
}

function absolute(value: BsonNumber): BsonNumber {
  if (isDecimal(value)) return signOf(toDecimalParts(value)) < 0 ? negateNumber(value) : value;
  if (value._bsontype === 'Double') return new Double(Math.abs(value.value));
  return toNumber(value) < 0 ? negateNumber(value) : value;
}

/** Functions that always give a double (a decimal in, its nearest double out, as a decimal). */
function real(
  evaluate: (value: number) => number,
  inDomain: (value: number) => boolean = () => true,
): OperatorCompiler {
  return simple(1, 1, ([value], operator) => {
    if (isNullish(value)) return null;
    const number = numeric(value, operator);
    const argument = toNumber(number);
    if (!inDomain(argument)) throw new MongoError(28_714, `the argument of ${operator} is outside of its domain`);
    const result = new Double(evaluate(argument));
    return isDecimal(number) ? toDecimal128(toDecimalParts(result)) : result;
  });
}

function power([base, exponent]: readonly (BsonValue | undefined)[], operator: string): BsonValue {
  if (isNullish(base) || isNullish(exponent)) return null;
  const [a, b] = [numeric(base, operator), numeric(exponent, operator)];
  if (toNumber(a) === 0 && toNumber(b) < 0)
    throw new MongoError(28_764, '$pow cannot take a base of 0 and a negative exponent');
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

const positive = (value: number): boolean => value > 0 || Number.isNaN(value);
const withinOne = (value: number): boolean => Math.abs(value) <= 1 || Number.isNaN(value);

export const arithmeticOperators: Readonly<Record<string, OperatorCompiler>> = {
  $add: simple(0, Number.POSITIVE_INFINITY, add),
  $subtract: simple(2, 2, subtract),
  $multiply: simple(0, Number.POSITIVE_INFINITY, multiply),
  $divide: simple(2, 2, divide),
  $mod: simple(2, 2, modulo),
  $abs: simple(1, 1, ([value], operator) => (isNullish(value) ? null : absolute(numeric(value, operator)))),
  $ceil: rounding('ceil', 1),
  $floor: rounding('floor', 1),
  $trunc: rounding('trunc', 2),
  $round: rounding('round', 2),
  $pow: simple(2, 2, power),
  $sqrt: real(Math.sqrt, (value) => !(value < 0)),
  $exp: real(Math.exp),
  $ln: real(Math.log, positive),
  $log10: real(Math.log10, positive),
  $log: simple(2, 2, ([value, base], operator) => {
    if (isNullish(value) || isNullish(base)) return null;
    const [argument, radix] = [toNumber(numeric(value, operator)), toNumber(numeric(base, operator))];
    if (!positive(argument) || !positive(radix) || radix === 1) {
      throw new MongoError(28_758, '$log takes a positive number and a positive base other than 1');
    }
    return new Double(Math.log(argument) / Math.log(radix));
  }),
  $sin: real(Math.sin, Number.isFinite),
  $cos: real(Math.cos, Number.isFinite),
  $tan: real(Math.tan, Number.isFinite),
  $asin: real(Math.asin, withinOne),
  $acos: real(Math.acos, withinOne),
  $atan: real(Math.atan),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real(Math.acosh, (value) => value >= 1 || Number.isNaN(value)),
  $atanh: real(Math.atanh, withinOne),
  $atan2: simple(2, 2, ([y, x], operator) => {
    if (isNullish(y) || isNullish(x)) return null;
    const [a, b] = [numeric(y, operator), numeric(x, operator)];
    const result = new Double(Math.atan2(toNumber(a), toNumber(b)));
    return isDecimal(a) || isDecimal(b) ? toDecimal128(toDecimalParts(result)) : result;
  }),
  $degreesToRadians: real((value) => (value * Math.PI) / 180),
  $radiansToDegrees: real((value) => (value * 180) / Math.PI),
};

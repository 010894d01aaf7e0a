import { Decimal128, Double, Int32, Long } from 'bson';
import {
  addDecimals,
  compareDecimals,
  type DecimalParts,
  decimalOfDouble,
  decimalParts,
  decimalToNumber,
  finiteDecimal,
  multiplyDecimals,
  negateDecimal,
  signOf,
  toDecimal128,
} from './decimal.js';
import { type BsonNumber, type BsonValue, isNumberType, typeOf } from './value.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export function isNumber(value: BsonValue | undefined): value is BsonNumber {
  return value !== undefined && value !== null && typeof value === 'object' && isNumberType(typeOf(value));
}

/** The nearest double; loses digits of long and decimal. */
export function toNumber(value: BsonNumber): number {
  if (value._bsontype === 'Long') return value.toNumber();
  if (value._bsontype === 'Decimal128') return decimalToNumber(decimalParts(value));
  return value.value;
}

export function isNan(value: BsonNumber): boolean {
  if (value._bsontype === 'Double') return Number.isNaN(value.value);
  return value._bsontype === 'Decimal128' && decimalParts(value).kind === 'nan';
}

/** The value as a whole number that fits int64, or undefined. */
export function toInteger(value: BsonNumber): bigint | undefined {
  if (value._bsontype === 'Long') return value.toBigInt();
  if (value._bsontype === 'Int32') return BigInt(value.value);
  if (value._bsontype === 'Double') {
    if (!Number.isInteger(value.value)) return undefined;
    return inInt64(BigInt(value.value));
  }
  const parts = decimalParts(value);
  if (parts.kind !== 'finite' || parts.exponent > 40) return undefined;
  const whole = truncateDecimal(parts);
  return compareDecimals(finiteDecimal(whole, 0), parts) === 0 ? inInt64(whole) : undefined;
}

/** `toInteger` of any value; undefined for values that are no number. */
export function integerOf(value: BsonValue | undefined): bigint | undefined {
  return isNumber(value) ? toInteger(value) : undefined;
}

function inInt64(value: bigint): bigint | undefined {
  return value < INT64_MIN || value > INT64_MAX ? undefined : value;
}

/** The whole part of a finite decimal, towards zero. */
export function truncateDecimal(parts: DecimalParts): bigint {
  const scale = 10n ** BigInt(Math.min(Math.abs(parts.exponent), 6_200));
  const magnitude = parts.exponent >= 0 ? parts.coefficient * scale : parts.coefficient / scale;
  return parts.negative ? -magnitude : magnitude;
}

/** As a decimal for arithmetic: doubles by 15 digits, whole numbers exactly. */
export function toDecimalParts(value: BsonNumber): DecimalParts {
  if (value._bsontype === 'Decimal128') return decimalParts(value);
  if (value._bsontype === 'Double') return decimalOfDouble(value.value);
  return finiteDecimal(value._bsontype === 'Long' ? value.toBigInt() : BigInt(value.value), 0);
}

/** Total order over all four number types by exact value; NaN equals NaN and is below everything. */
export function compareNumbers(a: BsonNumber, b: BsonNumber): number {
  if (a._bsontype === 'Decimal128')
    return b._bsontype === 'Decimal128' ? compareTwoDecimals(decimalParts(a), decimalParts(b)) : compareDecimalTo(a, b);
  if (b._bsontype === 'Decimal128') return 0 - compareDecimalTo(b, a);
  if (a._bsontype === 'Long') {
    if (b._bsontype === 'Double') return 0 - compareDoubleToInteger(b.value, a.toBigInt());
    return compareBigInts(a.toBigInt(), b._bsontype === 'Long' ? b.toBigInt() : BigInt(b.value));
  }
  if (b._bsontype === 'Long') {
    if (a._bsontype === 'Double') return compareDoubleToInteger(a.value, b.toBigInt());
    return compareBigInts(BigInt(a.value), b.toBigInt());
  }
  return compareDoubles(a.value, b.value);
}

function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return 1;
}

export function compareBigInts(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Exact: the double is cut to its whole part, and its fraction decides a tie. */
function compareDoubleToInteger(double: number, integer: bigint): number {
  if (Number.isNaN(double)) return -1;
  if (!Number.isFinite(double)) return double < 0 ? -1 : 1;
  const whole = Math.trunc(double);
  return compareBigInts(BigInt(whole), integer) || Math.sign(double - whole) + 0;
}

function compareTwoDecimals(a: DecimalParts, b: DecimalParts): number {
  if (a.kind === 'nan') return b.kind === 'nan' ? 0 : -1;
  if (b.kind === 'nan') return 1;
  return compareDecimals(a, b);
}

function compareDecimalTo(decimal: BsonNumber, other: BsonNumber): number {
  const parts = toDecimalParts(decimal);
  if (other._bsontype !== 'Double') return compareTwoDecimals(parts, toDecimalParts(other));
  return compareDecimalToDouble(parts, other.value);
}

/** Exact: rounding to double keeps order, so only equal roundings need the double's full decimal expansion. */
export function compareDecimalToDouble(parts: DecimalParts, double: number): number {
  if (parts.kind === 'nan') return Number.isNaN(double) ? 0 : -1;
  if (Number.isNaN(double)) return 1;
  const rounded = decimalToNumber(parts);
  if (rounded !== double) return rounded < double ? -1 : 1;
  if (parts.kind === 'infinity') return 0;
  if (double === 0) return signOf(parts);
  if (!Number.isFinite(double)) return double < 0 ? 1 : -1;
  return compareDecimals(parts, exactDecimalOfDouble(double));
}

/** Every finite double is m × 2^k, hence m × 5^-k × 10^k for negative k: a finite decimal. */
function exactDecimalOfDouble(value: number): DecimalParts {
  let mantissa = value;
  let power = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    power--;
  }
  const whole = BigInt(mantissa);
  return power === 0 ? finiteDecimal(whole, 0) : finiteDecimal(whole * 5n ** BigInt(-power), power);
}

/** The policy when a sum or product exceeds int64: expressions continue as double, `$inc` and `$mul` reject. */
type Int64Overflow = 'double' | 'refuse';

/** Sum typed as MongoDB types it (decimal > double > long > int, int overflowing into long); undefined = refused. */
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: 'double'): BsonNumber;
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined;
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined {
  if (a._bsontype === 'Int32' && b._bsontype === 'Int32') return widen(a.value + b.value);
  if (a._bsontype === 'Decimal128' || b._bsontype === 'Decimal128')
    return toDecimal128(addDecimals(toDecimalParts(a), toDecimalParts(b)));
  if (a._bsontype === 'Double' || b._bsontype === 'Double') return new Double(toNumber(a) + toNumber(b));
  return longResult(wholeOf(a) + wholeOf(b), overflow);
}

/** Product, typed likewise. */
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: 'double'): BsonNumber;
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined;
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined {
  if (a._bsontype === 'Decimal128' || b._bsontype === 'Decimal128')
    return toDecimal128(multiplyDecimals(toDecimalParts(a), toDecimalParts(b)));
  if (a._bsontype === 'Double' || b._bsontype === 'Double') return new Double(toNumber(a) * toNumber(b));
  const product = wholeOf(a) * wholeOf(b);
  if (a._bsontype === 'Int32' && b._bsontype === 'Int32') return widen(Number(product));
  return longResult(product, overflow);
}

export function negateNumber(value: BsonNumber): BsonNumber {
  if (value._bsontype === 'Decimal128') return toDecimal128(negateDecimal(decimalParts(value)));
  if (value._bsontype === 'Double') return new Double(-value.value);
  return value._bsontype === 'Int32' ? widen(-value.value) : longOrDouble(-value.toBigInt());
}

function wholeOf(value: BsonNumber): bigint {
  return value._bsontype === 'Long' ? value.toBigInt() : BigInt(toNumber(value));
}

/** The result of int32 arithmetic: int32 when it fits, else long. */
export function widen(value: number): Int32 | Long {
  return (value | 0) === value ? new Int32(value === 0 ? 0 : value) : Long.fromBigInt(BigInt(value));
}

export function longOrDouble(value: bigint): Long | Double {
  return inInt64(value) === undefined ? new Double(Number(value)) : Long.fromBigInt(value);
}

function longResult(value: bigint, overflow: Int64Overflow): BsonNumber | undefined {
  return overflow === 'refuse' && inInt64(value) === undefined ? undefined : longOrDouble(value);
}

/** The JS number of a BSON number (int64 beyond 2^53 loses precision); undefined for every other type. */
export function asNumber(value: BsonValue | undefined): number | undefined {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Decimal128) return Number(value.toString());
  return undefined;
}

/** The truth of a command argument: `true` or a number other than zero. */
export function isTrue(value: BsonValue | undefined): boolean {
  if (typeof value === 'boolean') return value;
  const number = asNumber(value);
  return number !== undefined && number !== 0;
}

/** A number cut towards zero, or undefined where it fits no int64. */
export function wholePart(value: BsonValue): bigint | undefined {
  if (!isNumber(value)) return undefined;
  if (value._bsontype !== 'Double') return toInteger(value);
  const cut = Math.trunc(value.value);
  return Math.abs(cut) < 2 ** 63 ? BigInt(cut) : undefined;
}

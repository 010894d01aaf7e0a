import { Double, Int32, Long } from 'bson';
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
import { isNumberType } from './types.js';
import { type BsonNumber, type BsonValue, typeOf } from './value.js';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

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

function inInt64(value: bigint): bigint | undefined {
  return value < int64Min || value > int64Max ? undefined : value;
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
  if (a._bsontype === 'Decimal128') {
    return b._bsontype === 'Decimal128' ? compareTwoDecimals(decimalParts(a), decimalParts(b)) : compareDecimalTo(a, b);
  }
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

export function compareDoubles(a: number, b: number): number {
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
export function compareDoubleToInteger(double: number, integer: bigint): number {
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

/** What to do when a sum or product leaves int64: expressions go on in double, `$inc`/`$mul` must refuse. */
export type Int64Overflow = 'double' | 'refuse';

/** Sum typed as MongoDB types it (decimal > double > long > int, int overflowing into long); undefined = refused. */
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: 'double'): BsonNumber;
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined;
export function addNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined {
  if (a._bsontype === 'Int32' && b._bsontype === 'Int32') return widen(a.value + b.value);
  if (a._bsontype === 'Decimal128' || b._bsontype === 'Decimal128') {
    return toDecimal128(addDecimals(toDecimalParts(a), toDecimalParts(b)));
  }
  if (a._bsontype === 'Double' || b._bsontype === 'Double') return new Double(toNumber(a) + toNumber(b));
  return longResult(wholeOf(a) + wholeOf(b), overflow);
}

/** Product, typed likewise. */
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: 'double'): BsonNumber;
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined;
export function multiplyNumbers(a: BsonNumber, b: BsonNumber, overflow: Int64Overflow): BsonNumber | undefined {
  if (a._bsontype === 'Decimal128' || b._bsontype === 'Decimal128') {
    return toDecimal128(multiplyDecimals(toDecimalParts(a), toDecimalParts(b)));
  }
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

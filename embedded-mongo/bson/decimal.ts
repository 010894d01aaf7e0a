import { Decimal128 } from 'bson';

/** The parts of a Decimal128: (-1)^negative × coefficient × 10^exponent, or a special value. */
export interface DecimalParts {
  readonly kind: 'finite' | 'infinity' | 'nan';
  readonly negative: boolean;
  readonly coefficient: bigint;
  readonly exponent: number;
}

const BIAS = 6_176;
const MAX_DIGITS = 34;
const MAX_EXPONENT = 6_111;
const MIN_EXPONENT = -6_176;
const MAX_COEFFICIENT = 10n ** 34n - 1n;

const DECIMAL_NAN: DecimalParts = { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 };

export function finiteDecimal(signed: bigint, exponent: number): DecimalParts {
  const negative = signed < 0n;
  return { kind: 'finite', negative, coefficient: negative ? -signed : signed, exponent };
}

function infiniteDecimal(negative: boolean): DecimalParts {
  return { kind: 'infinity', negative, coefficient: 0n, exponent: 0 };
}

/** Reads the binary integer decimal (BID) form of IEEE 754-2008, little-endian as in BSON. */
export function decimalParts(value: Decimal128): DecimalParts {
  const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, 16);
  const high = bytes.readBigUInt64LE(8);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return DECIMAL_NAN;
  if (combination === 0x1e) return infiniteDecimal(negative);
  // Leading bits 11 encode a coefficient above 34 digits: not canonical, and zero by the standard.
  if (combination >= 0x18)
    return { kind: 'finite', negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  const coefficient = ((high & 0x1_ffff_ffff_ffffn) << 64n) | bytes.readBigUInt64LE(0);
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  return { kind: 'finite', negative, coefficient: coefficient > MAX_COEFFICIENT ? 0n : coefficient, exponent };
}

export function digitCount(coefficient: bigint): number {
  return coefficient === 0n ? 1 : coefficient.toString().length;
}

/** Drops `digits` decimal digits, rounding half to even. */
function dropDigits(coefficient: bigint, digits: number): bigint {
  if (digits <= 0) return coefficient;
  const divisor = 10n ** BigInt(digits);
  const quotient = coefficient / divisor;
  const twice = (coefficient % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** Back to bytes, rounded to 34 digits; overflow becomes infinity, underflow is rounded into the subnormals. */
export function toDecimal128(parts: DecimalParts): Decimal128 {
  if (parts.kind === 'nan') return packDecimal(0x1fn << 58n, 0n, false);
  if (parts.kind === 'infinity') return packDecimal(0x1en << 58n, 0n, parts.negative);
  let { coefficient, exponent } = roundToDigits(parts, MAX_DIGITS);
  if (exponent < MIN_EXPONENT) {
    coefficient = dropDigits(coefficient, Math.min(MIN_EXPONENT - exponent, 40));
    exponent = MIN_EXPONENT;
  }
  while (exponent > MAX_EXPONENT && coefficient !== 0n && coefficient * 10n <= MAX_COEFFICIENT) {
    coefficient *= 10n;
    exponent--;
  }
  if (exponent > MAX_EXPONENT) {
    if (coefficient !== 0n) return packDecimal(0x1en << 58n, 0n, parts.negative);
    exponent = MAX_EXPONENT;
  }
  const high = (BigInt(exponent + BIAS) << 49n) | (coefficient >> 64n);
  return packDecimal(high, coefficient & 0xffff_ffff_ffff_ffffn, parts.negative);
}

function packDecimal(high: bigint, low: bigint, negative: boolean): Decimal128 {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(low, 0);
  bytes.writeBigUInt64LE(negative ? high | (1n << 63n) : high, 8);
  return new Decimal128(bytes);
}

function roundToDigits(parts: DecimalParts, digits: number): DecimalParts {
  if (parts.kind !== 'finite') return parts;
  let { coefficient, exponent } = parts;
  const excess = digitCount(coefficient) - digits;
  if (excess <= 0) return parts;
  coefficient = dropDigits(coefficient, excess);
  exponent += excess;
  // 9.99… may have rounded up to one digit more.
  if (digitCount(coefficient) > digits) {
    coefficient /= 10n;
    exponent++;
  }
  return { kind: 'finite', negative: parts.negative, coefficient, exponent };
}

/** A double as a decimal of 15 digits: how MongoDB mixes the two in arithmetic and `$toDecimal`. */
export function decimalOfDouble(value: number): DecimalParts {
  if (Number.isNaN(value)) return DECIMAL_NAN;
  if (!Number.isFinite(value)) return infiniteDecimal(value < 0);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential(14));
  const fraction = match?.[3] ?? '';
  let coefficient = BigInt(`${match?.[2] ?? '0'}${fraction}`);
  let exponent = Number(match?.[4] ?? 0) - fraction.length;
  if (coefficient === 0n) return { kind: 'finite', negative: Object.is(value, -0), coefficient, exponent: 0 };
  while (exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return { kind: 'finite', negative: value < 0, coefficient, exponent };
}

export function decimalToNumber(parts: DecimalParts): number {
  if (parts.kind === 'nan') return Number.NaN;
  const sign = parts.negative ? -1 : 1;
  if (parts.kind === 'infinity') return sign * Number.POSITIVE_INFINITY;
  return sign * Number(`${parts.coefficient}e${parts.exponent}`);
}

function signedCoefficient(parts: DecimalParts): bigint {
  return parts.negative ? -parts.coefficient : parts.coefficient;
}

export function negateDecimal(parts: DecimalParts): DecimalParts {
  return parts.kind === 'nan' ? parts : { ...parts, negative: !parts.negative };
}

export function addDecimals(a: DecimalParts, b: DecimalParts): DecimalParts {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  if (a.kind === 'infinity') return b.kind === 'infinity' && a.negative !== b.negative ? DECIMAL_NAN : a;
  if (b.kind === 'infinity') return b;
  // Far apart the smaller cannot change 34 digits, and aligning it would cost thousands of digits.
  const gap = a.exponent - b.exponent;
  if (gap > 80 && a.coefficient !== 0n) return roundToDigits(a, MAX_DIGITS);
  if (gap < -80 && b.coefficient !== 0n) return roundToDigits(b, MAX_DIGITS);
  if (a.coefficient === 0n && Math.abs(gap) > 80) return b;
  if (b.coefficient === 0n && Math.abs(gap) > 80) return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = signedCoefficient(a) * 10n ** BigInt(a.exponent - exponent);
  const right = signedCoefficient(b) * 10n ** BigInt(b.exponent - exponent);
  return finiteDecimal(left + right, exponent);
}

export function multiplyDecimals(a: DecimalParts, b: DecimalParts): DecimalParts {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    const zero = (a.kind === 'finite' && a.coefficient === 0n) || (b.kind === 'finite' && b.coefficient === 0n);
    return zero ? DECIMAL_NAN : infiniteDecimal(negative);
  }
  return { kind: 'finite', negative, coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** Quotient to 34 digits; exact quotients keep their short form. */
export function divideDecimals(a: DecimalParts, b: DecimalParts): DecimalParts {
  if (a.kind === 'nan' || b.kind === 'nan') return DECIMAL_NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinity') return b.kind === 'infinity' ? DECIMAL_NAN : infiniteDecimal(negative);
  if (b.kind === 'infinity') return { kind: 'finite', negative, coefficient: 0n, exponent: 0 };
  if (b.coefficient === 0n) return a.coefficient === 0n ? DECIMAL_NAN : infiniteDecimal(negative);
  const shift = MAX_DIGITS + 3 + digitCount(b.coefficient);
  const scaled = a.coefficient * 10n ** BigInt(shift);
  // A sticky last digit keeps half-even rounding right for quotients that do not end.
  const sticky = scaled % b.coefficient === 0n ? 0n : 1n;
  let coefficient = (scaled / b.coefficient) * 10n + sticky;
  let exponent = a.exponent - b.exponent - shift - 1;
  const preferred = a.exponent - b.exponent;
  while (exponent < preferred && coefficient !== 0n && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return roundToDigits({ kind: 'finite', negative, coefficient, exponent }, MAX_DIGITS);
}

/** Exact order of two decimals that are not NaN. */
export function compareDecimals(a: DecimalParts, b: DecimalParts): number {
  const signA = signOf(a);
  const signB = signOf(b);
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    if (a.kind === b.kind) return 0;
    return (a.kind === 'infinity') === signA > 0 ? 1 : -1;
  }
  const magnitudeA = digitCount(a.coefficient) + a.exponent;
  const magnitudeB = digitCount(b.coefficient) + b.exponent;
  if (magnitudeA !== magnitudeB) return magnitudeA < magnitudeB === signA > 0 ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = signedCoefficient(a) * 10n ** BigInt(a.exponent - exponent);
  const right = signedCoefficient(b) * 10n ** BigInt(b.exponent - exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function signOf(parts: DecimalParts): number {
  if (parts.kind === 'finite' && parts.coefficient === 0n) return 0;
  return parts.negative ? -1 : 1;
}

import type { DecimalParts } from '../bson/decimal.js';
import { decimalToNumber, digitCount, finiteDecimal } from '../bson/decimal.js';
import { compareDecimalToDouble } from '../bson/number.js';
import type { KeyWriter } from './key-writer.js';

/**
 * Number keys: the largest double not above the value, as 8 order-preserving bytes; then 0 if that double is the value,
 * or 1 and the value's decimal digits. Taking the floor is monotone, so the digits only decide between values that
 * share a floor, and equal values of different types get the same bytes.
 */
const scratch = Buffer.alloc(8);
const exact = 0;
const withDigits = 1;

export function writeDoubleKey(writer: KeyWriter, value: number): void {
  writeOrderedDouble(writer, value);
  writer.byte(exact);
}

export function writeIntegerKey(writer: KeyWriter, value: bigint): void {
  const nearest = Number(value);
  const back = BigInt(nearest);
  if (back === value) {
    writeDoubleKey(writer, nearest);
    return;
  }
  writeOrderedDouble(writer, back > value ? nextBelow(nearest) : nearest);
  writer.byte(withDigits);
  writeDigits(writer, finiteDecimal(value, 0));
}

export function writeDecimalKey(writer: KeyWriter, parts: DecimalParts): void {
  const nearest = decimalToNumber(parts);
  const order = parts.kind === 'finite' ? compareDecimalToDouble(parts, nearest) : 0;
  if (order === 0) {
    writeDoubleKey(writer, nearest);
    return;
  }
  writeOrderedDouble(writer, order < 0 ? nextBelow(nearest) : nearest);
  writer.byte(withDigits);
  writeDigits(writer, parts);
}

/** NaN, below all numbers, becomes zeros; otherwise the sign bit is flipped, negative values inverted. */
function writeOrderedDouble(writer: KeyWriter, value: number): void {
  scratch.writeDoubleBE(value === 0 ? 0 : value);
  if (Number.isNaN(value)) scratch.fill(0);
  else if ((scratch[0] as number) & 0x80) for (let i = 0; i < 8; i++) scratch[i] = ~(scratch[i] as number);
  else scratch[0] = (scratch[0] as number) | 0x80;
  writer.bytes(scratch, 0, 8);
}

/** The neighbouring double below; of infinity the largest finite one. */
function nextBelow(value: number): number {
  scratch.writeDoubleBE(value === 0 ? 0 : value);
  const bits = scratch.readBigUInt64BE();
  if (value === 0) return -Number.MIN_VALUE;
  scratch.writeBigUInt64BE(value > 0 ? bits - 1n : bits + 1n);
  return scratch.readDoubleBE();
}

/** Sign, power of ten, digits without trailing zeros, end mark; inverted as a whole for negative values. */
function writeDigits(writer: KeyWriter, parts: DecimalParts): void {
  const digits = parts.coefficient.toString().replace(/0+$/, '');
  const power = digitCount(parts.coefficient) + parts.exponent + 0x8000;
  const body = Buffer.alloc(digits.length + 3);
  body.writeUInt16BE(power, 0);
  body.write(digits, 2, 'latin1');
  if (parts.negative) for (let i = 0; i < body.length; i++) body[i] = ~(body[i] as number);
  writer.byte(parts.negative ? 0 : 1);
  writer.bytes(body, 0, body.length);
}

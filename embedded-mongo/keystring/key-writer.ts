import { type DecimalParts, decimalToNumber, digitCount, finiteDecimal } from '../bson/decimal.js';
import { compareDecimalToDouble } from '../bson/number.js';

/** A growing buffer for keys; whole stretches can be inverted for descending fields. Reused between keys. */
export class KeyWriter {
  #buffer = Buffer.allocUnsafe(256);
  at = 0;

  reset(length = 0): void {
    this.at = length;
  }

  /** A copy of the bytes written since `start`. */
  take(start = 0): Buffer {
    // Uses the buffer pool: keys are small, and a separate allocation costs more than the encoding.
    const taken = Buffer.allocUnsafe(this.at - start);
    this.#buffer.copy(taken, 0, start, this.at);
    return taken;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.at++] = value;
  }

  bytes(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    // For short stretches a loop beats the call into native copy.
    if (end - start < 24) for (let i = start; i < end; i++) this.#buffer[this.at++] = source[i] ?? 0;
    else {
      source.copy(this.#buffer, this.at, start, end);
      this.at += end - start;
    }
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.at = this.#buffer.writeUInt32BE(value >>> 0, this.at);
  }

  /** Text ends with 0; inner 0 and 1 become 1 1 and 1 2, which keeps the order and never looks like the end. */
  text(source: Buffer, start: number, end: number): void {
    this.#reserve((end - start) * 2 + 1);
    const buffer = this.#buffer;
    let { at } = this;
    for (let i = start; i < end; i++) {
      const byte = source[i] ?? 0;
      if (byte > 1) buffer[at++] = byte;
      else {
        buffer[at++] = 1;
        buffer[at++] = byte + 1;
      }
    }
    buffer[at++] = 0;
    this.at = at;
  }

  invertFrom(start: number): void {
    for (let i = start; i < this.at; i++) this.#buffer[i] = ~(this.#buffer[i] ?? 0);
  }

  #reserve(size: number): void {
    const needed = this.at + size;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.at);
    this.#buffer = grown;
  }
}

/**
 * Number keys: the largest double not above the value, as 8 order-preserving bytes; then 0 if that double is the value,
 * or 1 and the value's decimal digits. Taking the floor is monotone, so the digits only decide between values that
 * share a floor, and equal values of different types get the same bytes.
 */
const SCRATCH = Buffer.alloc(8);
const EXACT = 0;
const WITH_DIGITS = 1;

export function writeDoubleKey(writer: KeyWriter, value: number): void {
  writeOrderedDouble(writer, value);
  writer.byte(EXACT);
}

export function writeIntegerKey(writer: KeyWriter, value: bigint): void {
  const nearest = Number(value);
  const back = BigInt(nearest);
  if (back === value) {
    writeDoubleKey(writer, nearest);
    return;
  }
  writeOrderedDouble(writer, back > value ? nextBelow(nearest) : nearest);
  writer.byte(WITH_DIGITS);
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
  writer.byte(WITH_DIGITS);
  writeDigits(writer, parts);
}

/** NaN, below all numbers, becomes zeros; otherwise the sign bit is flipped, negative values inverted. */
function writeOrderedDouble(writer: KeyWriter, value: number): void {
  SCRATCH.writeDoubleBE(value === 0 ? 0 : value);
  if (Number.isNaN(value)) SCRATCH.fill(0);
  else if ((SCRATCH[0] ?? 0) & 0x80) for (let i = 0; i < 8; i++) SCRATCH[i] = ~(SCRATCH[i] ?? 0);
  else SCRATCH[0] = (SCRATCH[0] ?? 0) | 0x80;
  writer.bytes(SCRATCH, 0, 8);
}

/** The neighbouring double below; of infinity the largest finite one. */
function nextBelow(value: number): number {
  SCRATCH.writeDoubleBE(value === 0 ? 0 : value);
  const bits = SCRATCH.readBigUInt64BE();
  if (value === 0) return -Number.MIN_VALUE;
  SCRATCH.writeBigUInt64BE(value > 0 ? bits - 1n : bits + 1n);
  return SCRATCH.readDoubleBE();
}

/** Sign, power of ten, digits without trailing zeros, end mark; inverted as a whole for negative values. */
function writeDigits(writer: KeyWriter, parts: DecimalParts): void {
  const digits = parts.coefficient.toString().replace(/0+$/, '');
  const power = digitCount(parts.coefficient) + parts.exponent + 0x8000;
  const body = Buffer.alloc(digits.length + 3);
  body.writeUInt16BE(power, 0);
  body.write(digits, 2, 'latin1');
  if (parts.negative) for (let i = 0; i < body.length; i++) body[i] = ~(body[i] ?? 0);
  writer.byte(parts.negative ? 0 : 1);
  writer.bytes(body, 0, body.length);
}

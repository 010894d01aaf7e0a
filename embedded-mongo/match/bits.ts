import type { Binary } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { isNumber, toInteger } from '../bson/number.js';
import type { RawRef } from '../bson/raw.js';
import { isNumberType, T } from '../bson/types.js';
import { type BsonValue, typeOf } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { BitsTest, MatchNode } from './node.js';

/** `$bitsAllSet` and its kin: a mask as a number, as binary, or as a list of positions. */
export function parseBits(path: string, operator: string, value: BsonValue): MatchNode {
  const name = operator.slice('$bits'.length);
  const test = `${name[0]?.toLowerCase()}${name.slice(1)}` as BitsTest;
  return { kind: 'bits', path, test, positions: maskPositions(operator, value) };
}

function maskPositions(operator: string, value: BsonValue): number[] {
  if (Array.isArray(value)) return value.map((entry) => position(operator, entry));
  if (typeOf(value) === T.binary) {
    const bytes = binaryBytes(value as Binary);
    return Array.from({ length: bytes.length * 8 }, (_, bit) => bit).filter((bit) => byteBit(bytes, bit));
  }
  const mask = isNumber(value) ? toInteger(value) : undefined;
  if (mask === undefined) throw new MongoError('BadValue', `${operator} takes an Array, a number, or a BinData`);
  if (mask < 0n) throw new MongoError('FailedToParse', `${operator} needs a mask that is not negative`);
  return Array.from({ length: 63 }, (_, bit) => bit).filter((bit) => ((mask >> BigInt(bit)) & 1n) === 1n);
}

function position(operator: string, value: BsonValue): number {
  const bit = isNumber(value) ? toInteger(value) : undefined;
  if (bit === undefined || bit > 2_147_483_647n) {
    throw new MongoError('FailedToParse', `bit positions of ${operator} must be whole numbers`);
  }
  if (bit < 0n) throw new MongoError('BadValue', `bit positions must be >= 0 but got ${bit}`);
  return Number(bit);
}

function binaryBytes(value: Binary): Uint8Array {
  return value.buffer.subarray(0, value.position);
}

function byteBit(bytes: Uint8Array, bit: number): boolean {
  return (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** Whether a stored number or binary passes; everything else never does. */
export function compileBits(test: BitsTest, positions: readonly number[]): (ref: RawRef) => boolean {
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

/** Numbers count as 64 bits in two's complement, their sign going on above. */
function bitReader(ref: RawRef): ((bit: number) => boolean) | undefined {
  if (ref.type === T.binary) {
    const bytes = binaryBytes(decodeRef(ref) as Binary);
    return (bit) => byteBit(bytes, bit);
  }
  if (!isNumberType(ref.type)) return undefined;
  const value = decodeRef(ref);
  const whole = isNumber(value) ? toInteger(value) : undefined;
  if (whole === undefined) return undefined;
  return (bit) => ((whole >> BigInt(bit)) & 1n) === 1n;
}

import { createHash } from 'node:crypto';
import { decodeRef } from '../bson/decode.js';
import { BsonWriter, encodeValue } from '../bson/encode.js';
import { isNumber, toDecimalParts } from '../bson/number.js';
import { cstringEnd, ElementCursor, RawRef, readInt32, valueSize } from '../bson/raw.js';
import { type BsonValue, canonicalOrder, T, typeOf } from '../bson/value.js';
import { KeyWriter, writeDecimalKey, writeDoubleKey, writeIntegerKey } from './key-writer.js';

export type Direction = 1 | -1;

const writer = new KeyWriter();

/** One key for several values; memcmp order of keys is the comparator's order, field by field, reversed where -1. */
export function encodeKey(values: readonly (BsonValue | undefined)[], directions: readonly Direction[]): Buffer {
  writer.reset();
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    writeField(value === undefined ? undefined : scratchRefOf(value), directions[i] ?? 1);
  }
  return writer.take();
}

const scratch = new BsonWriter();
const scratchRef = new RawRef();

/** Like `refOf`, in shared memory: valid until the next call. */
function scratchRefOf(value: BsonValue): RawRef {
  scratch.restart();
  scratch.value(value);
  scratchRef.point(scratch.memory, typeOf(value), 0, scratch.length);
  return scratchRef;
}

/** The same from undecoded values; `undefined` is a missing field and shares the key of null. */
export function encodeRefs(refs: readonly (RawRef | undefined)[], directions: readonly Direction[]): Buffer {
  writer.reset();
  for (let i = 0; i < refs.length; i++) writeField(refs[i], directions[i] ?? 1);
  return writer.take();
}

/** A value as an undecoded one, for code that works on bytes. */
export function refOf(value: BsonValue | undefined): RawRef | undefined {
  if (value === undefined) return undefined;
  const { type, bytes } = encodeValue(value);
  const ref = new RawRef();
  ref.point(bytes, type, 0, bytes.length);
  return ref;
}

function writeField(ref: RawRef | undefined, direction: Direction): void {
  const start = writer.at;
  if (ref === undefined) writer.byte(canonicalOrder(T.null));
  else {
    writer.byte(canonicalOrder(ref.type));
    writeBody(ref);
  }
  if (direction < 0) writer.invertFrom(start);
}

function writeBody(ref: RawRef): void {
  const { buffer, type, start, end } = ref;
  switch (type) {
    case T.string:
    case T.symbol:
    case T.code:
      writer.text(buffer, start + 4, end - 1);
      return;
    case T.int32:
      writeDoubleKey(writer, readInt32(buffer, start));
      return;
    case T.double:
      writeDoubleKey(writer, buffer.readDoubleLE(start));
      return;
    case T.int64:
      writeIntegerKey(writer, buffer.readBigInt64LE(start));
      return;
    case T.decimal: {
      const value = decodeRef(ref);
      if (isNumber(value)) writeDecimalKey(writer, toDecimalParts(value));
      return;
    }
    case T.objectId:
      writer.bytes(buffer, start, end);
      return;
    case T.bool:
      writer.byte(buffer[start] ?? 0);
      return;
    case T.date:
      writer.uint32(buffer.readInt32LE(start + 4) ^ 0x80000000);
      writer.uint32(buffer.readUInt32LE(start));
      return;
    case T.object:
      writeElements(buffer, start, true);
      return;
    case T.array:
      writeElements(buffer, start, false);
      return;
    default:
      writeRareBody(ref);
  }
}

function writeRareBody({ buffer, type, start, end }: RawRef): void {
  switch (type) {
    case T.binary:
      writer.uint32(end - start - 5);
      writer.bytes(buffer, start + 4, end);
      return;
    case T.timestamp:
      writer.uint32(buffer.readUInt32LE(start + 4));
      writer.uint32(buffer.readUInt32LE(start));
      return;
    case T.regex: {
      const patternEnd = cstringEnd(buffer, start);
      writer.text(buffer, start, patternEnd);
      writer.text(buffer, patternEnd + 1, end - 1);
      return;
    }
    case T.codeWithScope: {
      const codeEnd = start + 4 + valueSize(T.string, buffer, start + 4);
      writer.text(buffer, start + 8, codeEnd - 1);
      writeElements(buffer, codeEnd, true);
      return;
    }
    case T.dbPointer:
      writer.uint32(end - start - 17);
      writer.bytes(buffer, start + 4, end - 13);
      writer.bytes(buffer, end - 12, end);
      return;
    default:
      // MinKey, MaxKey, null and undefined are their place alone.
      return;
  }
}

/** Writes elements in comparison order: place of type, name, value; 0 ends, below any place. */
function writeElements(buffer: Buffer, offset: number, named: boolean): void {
  const cursor = new ElementCursor(buffer, offset);
  const ref = new RawRef();
  while (cursor.next()) {
    writer.byte(canonicalOrder(cursor.type));
    if (named) writer.text(buffer, cursor.nameStart, cursor.nameEnd);
    writeBody(cursor.into(ref));
  }
  writer.byte(0);
}

const HASH_BYTES = 16;

interface CutKey {
  readonly key: Buffer;
  /** The key no longer holds its values: equality must check the record, and order ends at the prefix. */
  readonly cut: boolean;
}

/** Fits a key into `limitBytes`: too long ones become a prefix and a hash of the whole. */
export function cutKey(key: Buffer, limitBytes: number): CutKey {
  if (key.length <= limitBytes) return { key, cut: false };
  const prefix = key.subarray(0, limitBytes - HASH_BYTES);
  const hash = createHash('sha256').update(key).digest().subarray(0, HASH_BYTES);
  return { key: Buffer.concat([prefix, hash]), cut: true };
}

interface KeyBounds {
  readonly lower: Buffer;
  /** Exclusive. */
  readonly upper: Buffer;
  /** The bounds were cut and include more keys than asked: records must be checked. */
  readonly cut: boolean;
}

/** Bounds for a scan over keys cut by `cutKey`: they include every key of the range, and maybe others. */
export function cutBounds(lower: Buffer, upper: Buffer, limitBytes: number): KeyBounds {
  const prefixBytes = limitBytes - HASH_BYTES;
  // Beyond the prefix, not the limit: a hash sorts anywhere among uncut keys of the same prefix.
  const cutLower = lower.length > prefixBytes;
  const cutUpper = upper.length > prefixBytes;
  return {
    lower: cutLower ? lower.subarray(0, prefixBytes) : lower,
    upper: cutUpper ? afterPrefix(upper.subarray(0, prefixBytes)) : upper,
    cut: cutLower || cutUpper,
  };
}

/**
 * The first possible key after all that begin with `prefix`. Keys never are all 0xff (a place is at most 127, inverted
 * at least 128 but below 255), so a last byte can always be raised.
 */
export function afterPrefix(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  const after = Buffer.from(prefix.subarray(0, end));
  if (end > 0) after[end - 1] = (after[end - 1] ?? 0) + 1;
  return after;
}

/** The single byte all values of this comparison class begin with. */
export function typePrefix(value: BsonValue, direction: Direction): Buffer {
  return encodeKey([value], [direction]).subarray(0, 1);
}

import { isUtf8 } from 'node:buffer';
import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, Timestamp } from 'bson';
import { fail } from '../errors.js';
import { cstringEnd, invalidBson, type RawRef, readInt32, readLength, readName, valueSize } from './raw.js';
import {
  BsonCodeWithScope,
  BsonDate,
  BsonDbPointer,
  BsonDoc,
  BsonUndefined,
  type BsonValue,
  objectIdFrom,
  T,
} from './value.js';

/** Decodes the document at `offset` after checking all of it; for bytes from a client. */
export function decodeDocument(buffer: Buffer, offset = 0): BsonDoc {
  checkDocument(buffer, offset);
  return decodeStored(buffer, offset);
}

/** Decodes a checked (stored) document without a second check. Values share no memory with `buffer`. */
export function decodeStored(buffer: Buffer, offset = 0): BsonDoc {
  const doc = new BsonDoc();
  const limit = offset + readInt32(buffer, offset) - 1;
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] ?? 0;
    const nameEnd = nameEndAt(buffer, at + 1);
    const end = nameEnd + 1 + valueSize(type, buffer, nameEnd + 1);
    doc.append(readName(buffer, at + 1, nameEnd), decodeValue(type, buffer, nameEnd + 1, end));
    at = end;
  }
  return doc;
}

function nameEndAt(buffer: Buffer, start: number): number {
  let end = start;
  while (buffer[end] !== 0) if (++end >= buffer.length) throw invalidBson('an unterminated name');
  return end;
}

function decodeArray(buffer: Buffer, offset: number): BsonValue[] {
  const values: BsonValue[] = [];
  const limit = offset + readInt32(buffer, offset) - 1;
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] ?? 0;
    const start = nameEndAt(buffer, at + 1) + 1;
    const end = start + valueSize(type, buffer, start);
    values.push(decodeValue(type, buffer, start, end));
    at = end;
  }
  return values;
}

export function decodeRef(ref: RawRef): BsonValue {
  return decodeValue(ref.type, ref.buffer, ref.start, ref.end);
}

/** Decodes one value from its start and end offsets. */
export function decodeValue(type: number, buffer: Buffer, start: number, end: number): BsonValue {
  switch (type) {
    case T.string:
      return buffer.toString('utf8', start + 4, end - 1);
    case T.int32:
      return new Int32(readInt32(buffer, start));
    case T.object:
      return decodeStored(buffer, start);
    case T.array:
      return decodeArray(buffer, start);
    case T.null:
      return null;
    case T.bool:
      return buffer[start] === 1;
    case T.double:
      return new Double(buffer.readDoubleLE(start));
    case T.date:
      return new BsonDate(buffer.readBigInt64LE(start));
    case T.objectId:
      return objectIdFrom(buffer, start);
    case T.int64:
      return Long.fromBits(readInt32(buffer, start), readInt32(buffer, start + 4));
    case T.binary:
      return decodeBinary(buffer, start, end);
    default:
      return decodeRareValue(type, buffer, start, end);
  }
}

function decodeRareValue(type: number, buffer: Buffer, start: number, end: number): BsonValue {
  switch (type) {
    case T.decimal:
      return new Decimal128(Buffer.from(buffer.subarray(start, end)));
    case T.timestamp:
      return new Timestamp(buffer.readBigUInt64LE(start));
    case T.regex:
      return decodeRegex(buffer, start);
    case T.undefined:
      return new BsonUndefined();
    case T.minKey:
      return new MinKey();
    case T.maxKey:
      return new MaxKey();
    case T.symbol:
      return new BSONSymbol(buffer.toString('utf8', start + 4, end - 1));
    case T.code:
      return new Code(buffer.toString('utf8', start + 4, end - 1));
    case T.codeWithScope: {
      const codeEnd = start + 4 + valueSize(T.string, buffer, start + 4);
      return new BsonCodeWithScope(buffer.toString('utf8', start + 8, codeEnd - 1), decodeStored(buffer, codeEnd));
    }
    case T.dbPointer:
      return new BsonDbPointer(buffer.toString('utf8', start + 4, end - 13), objectIdFrom(buffer, end - 12));
    default:
      throw invalidBson(`unknown element type 0x${type.toString(16)}`);
  }
}

function decodeBinary(buffer: Buffer, start: number, end: number): Binary {
  const subtype = buffer[start + 4] ?? 0;
  const dataStart = subtype === Binary.SUBTYPE_BYTE_ARRAY ? start + 9 : start + 5;
  return new Binary(Buffer.from(buffer.subarray(dataStart, end)), subtype);
}

/** Options are set afterwards: the constructor sorts and refuses them, which would change bytes on the way back. */
function decodeRegex(buffer: Buffer, start: number): BSONRegExp {
  const patternEnd = cstringEnd(buffer, start);
  const regex = new BSONRegExp(buffer.toString('utf8', start, patternEnd), '');
  regex.options = buffer.toString('utf8', patternEnd + 1, cstringEnd(buffer, patternEnd + 1));
  return regex;
}

/** MongoDB refuses to store deeper documents (BSONDepth: 200). */
export const MAX_DEPTH = 200;
/** The largest document MongoDB stores (BSONObjMaxUserSize). */
export const MAX_DOCUMENT_BYTES = 16_777_216;

/**
 * Checks a whole document without decoding it: lengths, end marks, types, UTF-8, booleans, depth. @returns its length.
 * Later code walks checked bytes without further checks.
 */
export function checkDocument(buffer: Buffer, offset = 0, depth = 1): number {
  if (depth > MAX_DEPTH) fail('Overflow', `document nesting exceeds ${MAX_DEPTH} levels`);
  const length = readLength(buffer, offset);
  const limit = offset + length - 1;
  if (length < 5 || buffer[limit] !== 0) throw invalidBson('a document has no end mark');
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] ?? 0;
    const nameEnd = cstringEnd(buffer, at + 1);
    if (nameEnd >= limit) throw invalidBson('a name reaches beyond its document');
    checkUtf8(buffer, at + 1, nameEnd);
    const start = nameEnd + 1;
    const end = start + valueSize(type, buffer, start);
    if (end > limit) throw invalidBson('an element reaches beyond its document');
    checkValue(type, buffer, start, end, depth);
    at = end;
  }
  if (at !== limit) throw invalidBson('a document ends inside an element');
  return length;
}

function checkValue(type: number, buffer: Buffer, start: number, end: number, depth: number): void {
  switch (type) {
    case T.string:
    case T.code:
    case T.symbol:
      checkString(buffer, start, end);
      return;
    case T.object:
    case T.array:
      checkDocument(buffer, start, depth + 1);
      return;
    case T.bool:
      if ((buffer[start] ?? 0) > 1) throw invalidBson('a boolean is neither 0 nor 1');
      return;
    case T.regex:
      checkUtf8(buffer, start, end);
      return;
    case T.dbPointer:
      checkString(buffer, start, end - 12);
      return;
    case T.binary:
      checkBinary(buffer, start, end);
      return;
    case T.codeWithScope: {
      if (end - start < 14) throw invalidBson('code with scope is too short');
      const codeEnd = start + 4 + valueSize(T.string, buffer, start + 4);
      if (codeEnd + 5 > end) throw invalidBson('code with scope is too short');
      checkString(buffer, start + 4, codeEnd);
      if (codeEnd + checkDocument(buffer, codeEnd, depth + 1) !== end) throw invalidBson('a scope has a wrong length');
      return;
    }
    default:
      return;
  }
}

function checkString(buffer: Buffer, start: number, end: number): void {
  if (end - start < 5 || buffer[end - 1] !== 0) throw invalidBson('a string has no end mark');
  checkUtf8(buffer, start + 4, end - 1);
}

/** The old binary subtype 2 carries a second length. */
function checkBinary(buffer: Buffer, start: number, end: number): void {
  if (buffer[start + 4] !== 2) return;
  if (end - start < 9 || readInt32(buffer, start + 5) !== end - start - 9)
    throw invalidBson('binary subtype 2 has a wrong inner length');
}

function checkUtf8(buffer: Buffer, start: number, end: number): void {
  if (end - start <= 32) {
    let i = start;
    while (i < end && (buffer[i] ?? 0) < 0x80) i++;
    if (i === end) return;
  }
  if (!isUtf8(buffer.subarray(start, end))) throw invalidBson('a string is not UTF-8');
}

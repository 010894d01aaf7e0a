import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, Timestamp } from 'bson';
import { checkDocument } from './check.js';
import { cstringEnd, invalidBson, type RawRef, readInt32, readName, valueSize } from './raw.js';
import { T } from './types.js';
import {
  BsonCodeWithScope,
  BsonDate,
  BsonDbPointer,
  BsonDoc,
  BsonUndefined,
  type BsonValue,
  objectIdFrom,
} from './value.js';

/** Decodes the document at `offset` after checking all of it; for bytes from outside. */
export function decodeDocument(buffer: Buffer, offset = 0): BsonDoc {
  checkDocument(buffer, offset);
  return decodeStored(buffer, offset);
}

/** The same for bytes already checked (stored documents): no second check. Values share no memory with `buffer`. */
export function decodeStored(buffer: Buffer, offset = 0): BsonDoc {
  const doc = new BsonDoc();
  const limit = offset + readInt32(buffer, offset) - 1;
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] as number;
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
    const type = buffer[at] as number;
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

/** Decodes one value whose extent is known. */
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
  const subtype = buffer[start + 4] as number;
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

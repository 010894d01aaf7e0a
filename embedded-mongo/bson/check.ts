import { isUtf8 } from 'node:buffer';
import { MongoError } from '../errors.js';
import { cstringEnd, invalidBson, readInt32, readLength, valueSize } from './raw.js';
import { T } from './types.js';

/** MongoDB refuses to store deeper documents (BSONDepth: 200). */
export const maxDepth = 200;
/** The largest document MongoDB stores (BSONObjMaxUserSize). */
export const maxDocumentBytes = 16_777_216;

/**
 * Checks a whole document without decoding it: lengths, end marks, types, UTF-8, booleans, depth.
 * Returns its length. Bytes that passed may be walked by everything above without further doubt.
 */
export function checkDocument(buffer: Buffer, offset = 0, depth = 1): number {
  if (depth > maxDepth) throw new MongoError('Overflow', `document nesting exceeds ${maxDepth} levels`);
  const length = readLength(buffer, offset);
  const limit = offset + length - 1;
  if (length < 5 || buffer[limit] !== 0) throw invalidBson('a document has no end mark');
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] as number;
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
      if ((buffer[start] as number) > 1) throw invalidBson('a boolean is neither 0 nor 1');
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
  if (end - start < 9 || readInt32(buffer, start + 5) !== end - start - 9) {
    throw invalidBson('binary subtype 2 has a wrong inner length');
  }
}

function checkUtf8(buffer: Buffer, start: number, end: number): void {
  if (end - start <= 32) {
    let i = start;
    while (i < end && (buffer[i] as number) < 0x80) i++;
    if (i === end) return;
  }
  if (!isUtf8(buffer.subarray(start, end))) throw invalidBson('a string is not UTF-8');
}

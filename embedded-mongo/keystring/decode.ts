import type { BsonWriter } from '../bson/encode.js';
import { PLACE, T } from '../bson/value.js';
import { HELD } from './key-types.js';

/** Returns the end of the field key that starts at `at` (invert descending keys first). */
export function fieldEnd(key: Buffer, at: number): number {
  return bodyEnd(key, key[at] ?? 0, at + 1);
}

function bodyEnd(key: Buffer, of: number, at: number): number {
  switch (of) {
    case PLACE.minKey:
    case PLACE.undefined:
    case PLACE.null:
    case PLACE.maxKey:
      return at;
    case PLACE.double:
      return numberEnd(key, at);
    case PLACE.string:
    case PLACE.code:
      return textEnd(key, at);
    case PLACE.regex:
      return textEnd(key, textEnd(key, at));
    case PLACE.objectId:
      return at + 12;
    case PLACE.bool:
      return at + 1;
    case PLACE.date:
    case PLACE.timestamp:
      return at + 8;
    case PLACE.binary:
      return at + 5 + key.readUInt32BE(at);
    case PLACE.dbPointer:
      return at + 16 + key.readUInt32BE(at);
    case PLACE.object:
      return elementsEnd(key, at, true);
    case PLACE.array:
      return elementsEnd(key, at, false);
    case PLACE.codeWithScope:
      return elementsEnd(key, textEnd(key, at), true);
    default:
      throw new Error(`an index entry is damaged: no type has place ${of}`);
  }
}

/** A double and a mark. After mark 1: sign, power, digits and an end mark, which is 0, or 255 if inverted. */
function numberEnd(key: Buffer, at: number): number {
  if (key[at + 8] === 0) return at + 9;
  return afterMark(key, key[at + 9] === 0 ? 0xff : 0, at + 12);
}

function textEnd(key: Buffer, at: number): number {
  return afterMark(key, 0, at);
}

function afterMark(key: Buffer, mark: number, at: number): number {
  const found = key.indexOf(mark, at);
  if (found < 0) throw new Error('an index entry is damaged: it ends within a value');
  return found + 1;
}

function elementsEnd(key: Buffer, start: number, named: boolean): number {
  let at = start;
  while (key[at] !== 0) {
    const of = key[at] ?? 0;
    at = bodyEnd(key, of, named ? textEnd(key, at + 1) : at + 1);
  }
  return at + 1;
}

/** The result of reading a field's key: the value was written, there is none, or the key is not enough. */
type FieldResult = 'value' | 'missing' | 'unknown';

/**
 * Writes the element behind the field key from `at` to `end`, if only one value has that key; `seen` holds the types
 * that the field has ever held (`KeyTypes`).
 */
export function writeElement(
  writer: BsonWriter,
  name: string,
  key: Buffer,
  at: number,
  end: number,
  seen: number,
): FieldResult {
  const body = at + 1;
  switch (key[at]) {
    case PLACE.null:
      return writeNull(writer, name, seen);
    case PLACE.double:
      return writeNumber(writer, name, key, body, seen);
    case PLACE.string:
      if ((seen & HELD.symbol) !== 0) return 'unknown';
      writer.element(T.string, name);
      writeText(writer, key, body, end - 1);
      return 'value';
    case PLACE.objectId:
      writer.element(T.objectId, name);
      writer.raw(key, body, end);
      return 'value';
    case PLACE.bool:
      writer.element(T.bool, name);
      writer.byte(key[body] ?? 0);
      return 'value';
    case PLACE.date:
      writer.element(T.date, name);
      writer.int32(key.readUInt32BE(body + 4) | 0);
      writer.int32(key.readUInt32BE(body) ^ 0x80000000);
      return 'value';
    default:
      return writeRareElement(writer, name, key, at, end);
  }
}

function writeNull(writer: BsonWriter, name: string, seen: number): FieldResult {
  const sorts = seen & (HELD.null | HELD.missing);
  if (sorts === HELD.missing) return 'missing';
  if (sorts !== HELD.null) return 'unknown';
  writer.element(T.null, name);
  return 'value';
}

const SCRATCH = Buffer.alloc(8);
const NUMBERS = HELD.int32 | HELD.int64 | HELD.double | HELD.otherNumber;

function writeNumber(writer: BsonWriter, name: string, key: Buffer, at: number, seen: number): FieldResult {
  // Digits mark values that no double equals: rare, and read from the document.
  if (key[at + 8] !== 0) return 'unknown';
  key.copy(SCRATCH, 0, at, at + 8);
  if (((SCRATCH[0] ?? 0) & 0x80) !== 0) SCRATCH[0] = (SCRATCH[0] ?? 0) & 0x7f;
  else for (let i = 0; i < 8; i++) SCRATCH[i] = ~(SCRATCH[i] ?? 0);
  const value = SCRATCH.readDoubleBE();
  switch (seen & NUMBERS) {
    case HELD.int32:
      writer.element(T.int32, name);
      writer.int32(value);
      return 'value';
    case HELD.int64:
      writer.element(T.int64, name);
      writer.int64(BigInt(value));
      return 'value';
    case HELD.double:
      writer.element(T.double, name);
      writer.double(value);
      return 'value';
    default:
      return 'unknown';
  }
}

function writeRareElement(writer: BsonWriter, name: string, key: Buffer, at: number, end: number): FieldResult {
  const body = at + 1;
  switch (key[at]) {
    case PLACE.minKey:
      writer.element(T.minKey, name);
      return 'value';
    case PLACE.maxKey:
      writer.element(T.maxKey, name);
      return 'value';
    case PLACE.undefined:
      writer.element(T.undefined, name);
      return 'value';
    case PLACE.binary:
      writer.element(T.binary, name);
      writer.int32(key.readUInt32BE(body));
      writer.raw(key, body + 4, end);
      return 'value';
    case PLACE.timestamp:
      writer.element(T.timestamp, name);
      writer.int32(key.readUInt32BE(body + 4) | 0);
      writer.int32(key.readUInt32BE(body) | 0);
      return 'value';
    default:
      // Documents hold numbers; expressions and code are too rare to be worth it.
      return 'unknown';
  }
}

/** Text with its length before and 0 after it; `KeyWriter.text` wrote 0 and 1 as 1 1 and 1 2. */
function writeText(writer: BsonWriter, key: Buffer, start: number, end: number): void {
  let escapes = 0;
  for (let i = start; i < end; i++) {
    if (key[i] !== 1) continue;
    escapes += 1;
    i += 1;
  }
  writer.int32(end - start - escapes + 1);
  if (escapes === 0) writer.raw(key, start, end);
  else for (let i = start; i < end; i++) writer.byte(key[i] === 1 ? (key[++i] ?? 0) - 1 : (key[i] ?? 0));
  writer.byte(0);
}

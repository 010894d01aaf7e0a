import type { BsonWriter } from '../bson/encode.js';
import { canonicalOrder, T } from '../bson/types.js';
import { held } from './key-types.js';

/** Places of the types in a key (`canonicalOrder`): each begins with its own byte. */
const place = {
  minKey: canonicalOrder(T.minKey),
  undefined: canonicalOrder(T.undefined),
  null: canonicalOrder(T.null),
  number: canonicalOrder(T.double),
  string: canonicalOrder(T.string),
  object: canonicalOrder(T.object),
  array: canonicalOrder(T.array),
  binary: canonicalOrder(T.binary),
  objectId: canonicalOrder(T.objectId),
  bool: canonicalOrder(T.bool),
  date: canonicalOrder(T.date),
  timestamp: canonicalOrder(T.timestamp),
  regex: canonicalOrder(T.regex),
  dbPointer: canonicalOrder(T.dbPointer),
  code: canonicalOrder(T.code),
  codeWithScope: canonicalOrder(T.codeWithScope),
  maxKey: canonicalOrder(T.maxKey),
} as const;

/** Where one field's key ends that begins at `at` (ascending: invert descending ones first). */
export function fieldEnd(key: Buffer, at: number): number {
  return bodyEnd(key, key[at] as number, at + 1);
}

function bodyEnd(key: Buffer, of: number, at: number): number {
  switch (of) {
    case place.minKey:
    case place.undefined:
    case place.null:
    case place.maxKey:
      return at;
    case place.number:
      return numberEnd(key, at);
    case place.string:
    case place.code:
      return textEnd(key, at);
    case place.regex:
      return textEnd(key, textEnd(key, at));
    case place.objectId:
      return at + 12;
    case place.bool:
      return at + 1;
    case place.date:
    case place.timestamp:
      return at + 8;
    case place.binary:
      return at + 5 + key.readUInt32BE(at);
    case place.dbPointer:
      return at + 16 + key.readUInt32BE(at);
    case place.object:
      return elementsEnd(key, at, true);
    case place.array:
      return elementsEnd(key, at, false);
    case place.codeWithScope:
      return elementsEnd(key, textEnd(key, at), true);
    default:
      throw new Error(`an index entry is damaged: no type has place ${of}`);
  }
}

/** A double and a mark; after mark 1 sign, power and digits, whose end mark is 0, or 255 where they are inverted. */
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
    const of = key[at] as number;
    at = bodyEnd(key, of, named ? textEnd(key, at + 1) : at + 1);
  }
  return at + 1;
}

/** What a field's key says: its value was written, there is none, or the key cannot tell. */
export type Told = 'value' | 'missing' | 'unknown';

/**
 * Writes the element that one field's key from `at` to `end` stands for, if it stands for one alone; `seen` is what the
 * field ever held (`KeyTypes`).
 */
export function writeElement(
  writer: BsonWriter,
  name: string,
  key: Buffer,
  at: number,
  end: number,
  seen: number,
): Told {
  const body = at + 1;
  switch (key[at]) {
    case place.null:
      return writeNull(writer, name, seen);
    case place.number:
      return writeNumber(writer, name, key, body, seen);
    case place.string:
      if ((seen & held.symbol) !== 0) return 'unknown';
      writer.element(T.string, name);
      writeText(writer, key, body, end - 1);
      return 'value';
    case place.objectId:
      writer.element(T.objectId, name);
      writer.raw(key, body, end);
      return 'value';
    case place.bool:
      writer.element(T.bool, name);
      writer.byte(key[body] as number);
      return 'value';
    case place.date:
      writer.element(T.date, name);
      writer.int32(key.readUInt32BE(body + 4) | 0);
      writer.int32(key.readUInt32BE(body) ^ 0x80000000);
      return 'value';
    default:
      return writeRareElement(writer, name, key, at, end);
  }
}

function writeNull(writer: BsonWriter, name: string, seen: number): Told {
  const sorts = seen & (held.null | held.missing);
  if (sorts === held.missing) return 'missing';
  if (sorts !== held.null) return 'unknown';
  writer.element(T.null, name);
  return 'value';
}

const scratch = Buffer.alloc(8);
const numbers = held.int32 | held.int64 | held.double | held.otherNumber;

function writeNumber(writer: BsonWriter, name: string, key: Buffer, at: number, seen: number): Told {
  // Digits belong to values that no double is: rare, and left to the document.
  if (key[at + 8] !== 0) return 'unknown';
  key.copy(scratch, 0, at, at + 8);
  if (((scratch[0] as number) & 0x80) !== 0) scratch[0] = (scratch[0] as number) & 0x7f;
  else for (let i = 0; i < 8; i++) scratch[i] = ~(scratch[i] as number);
  const value = scratch.readDoubleBE();
  switch (seen & numbers) {
    case held.int32:
      writer.element(T.int32, name);
      writer.int32(value);
      return 'value';
    case held.int64:
      writer.element(T.int64, name);
      writer.int64(BigInt(value));
      return 'value';
    case held.double:
      writer.element(T.double, name);
      writer.double(value);
      return 'value';
    default:
      return 'unknown';
  }
}

function writeRareElement(writer: BsonWriter, name: string, key: Buffer, at: number, end: number): Told {
  const body = at + 1;
  switch (key[at]) {
    case place.minKey:
      writer.element(T.minKey, name);
      return 'value';
    case place.maxKey:
      writer.element(T.maxKey, name);
      return 'value';
    case place.undefined:
      writer.element(T.undefined, name);
      return 'value';
    case place.binary:
      writer.element(T.binary, name);
      writer.int32(key.readUInt32BE(body));
      writer.raw(key, body + 4, end);
      return 'value';
    case place.timestamp:
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
  else for (let i = start; i < end; i++) writer.byte(key[i] === 1 ? (key[++i] as number) - 1 : (key[i] as number));
  writer.byte(0);
}

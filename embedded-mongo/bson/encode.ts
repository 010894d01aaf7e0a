import { Binary } from 'bson';
import { fail } from '../errors.js';
import { MAX_DEPTH } from './decode.js';
import type { RawRef } from './raw.js';
import { type BsonDoc, type BsonValue, typeOf } from './value.js';

/** Encodes a document into a new buffer. */
export function encodeDocument(doc: BsonDoc): Buffer {
  const writer = new BsonWriter();
  writer.document(doc);
  return writer.finish();
}

/** Encodes one value (no type byte, no name). */
export function encodeValue(value: BsonValue): { type: number; bytes: Buffer } {
  const writer = new BsonWriter();
  writer.value(value);
  return { type: typeOf(value), bytes: writer.finish() };
}

/** A document of one undecoded element. */
export function encodeElement(name: string, ref: RawRef): Buffer {
  const writer = new BsonWriter(ref.end - ref.start + name.length + 16);
  const start = writer.open();
  writer.rawElement(name, ref);
  writer.close(start);
  return writer.finish();
}

/**
 * Grows one buffer while elements are appended. Documents are opened and closed by position, so replies can mix
 * encoded values with stored bytes that are copied as they are.
 */
export class BsonWriter {
  #buffer: Buffer;
  #at = 0;
  #depth = 0;

  /** @param memory a buffer to begin with, or the size of one. */
  constructor(memory: Buffer | number = 256) {
    this.#buffer = typeof memory === 'number' ? Buffer.allocUnsafe(memory) : memory;
  }

  get length(): number {
    return this.#at;
  }

  /** The bytes written; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  /** Restarts in the same memory, for values that are read before the next one is written. */
  restart(): void {
    this.#at = 0;
    this.#depth = 0;
  }

  /** The memory written so far; valid until the next write. */
  get memory(): Buffer {
    return this.#buffer;
  }

  /** Begins a document or array body; give the result to `close`. */
  open(): number {
    if (++this.#depth > MAX_DEPTH) fail('Overflow', `document nesting exceeds ${MAX_DEPTH} levels`);
    const start = this.#at;
    this.#reserve(5);
    this.#at += 4;
    return start;
  }

  close(start: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = 0;
    this.#buffer.writeInt32LE(this.#at - start, start);
    this.#depth--;
  }

  /** Fills in the length of a document that begins at `start` and ends before `end`. */
  setLength(start: number, end: number): void {
    this.#buffer.writeInt32LE(end - start, start);
  }

  /** Type byte and name of an element; its value must follow. */
  element(type: number, name: string): void {
    const size = 2 + name.length * 3;
    this.#reserve(size);
    this.#buffer[this.#at++] = type;
    this.#cstring(name, 'field name');
  }

  /** A whole element with an undecoded value. */
  rawElement(name: string, ref: RawRef): void {
    this.element(ref.type, name);
    this.raw(ref.buffer, ref.start, ref.end);
  }

  /** Copies bytes as they are (whole elements, or the value after `element`). */
  raw(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    source.copy(this.#buffer, this.#at, start, end);
    this.#at += end - start;
  }

  field(name: string, value: BsonValue): void {
    this.element(typeOf(value), name);
    this.value(value);
  }

  document(doc: BsonDoc): void {
    const start = this.open();
    for (let i = 0; i < doc.keys.length; i++) this.field(doc.keys[i] ?? '', doc.values[i] ?? null);
    this.close(start);
  }

  array(values: readonly BsonValue[]): void {
    const start = this.open();
    for (let i = 0; i < values.length; i++) this.field(String(i), values[i] ?? null);
    this.close(start);
  }

  value(value: BsonValue): void {
    if (value === null) return;
    if (typeof value === 'string') {
      this.string(value);
      return;
    }
    if (typeof value === 'boolean') {
      this.byte(value ? 1 : 0);
      return;
    }
    if (Array.isArray(value)) {
      this.array(value);
      return;
    }
    switch (value._bsontype) {
      case 'BsonDoc':
        this.document(value);
        return;
      case 'Int32':
        this.int32(value.value);
        return;
      case 'Double':
        this.double(value.value);
        return;
      case 'Long':
      case 'Timestamp':
        this.int32(value.low);
        this.int32(value.high);
        return;
      case 'BsonDate':
        this.int64(value.ms);
        return;
      case 'ObjectId':
        this.bytes(value.id);
        return;
      case 'Decimal128':
        this.bytes(value.bytes);
        return;
      case 'Binary':
        this.#binary(value);
        return;
      case 'BSONRegExp':
        this.#reserve(2 + (value.pattern.length + value.options.length) * 3);
        this.#cstring(value.pattern, 'regular expression');
        this.#cstring(value.options, 'regular expression option');
        return;
      default:
        this.#rareValue(value);
        return;
    }
  }

  #rareValue(value: Extract<BsonValue, { _bsontype: string }>): void {
    switch (value._bsontype) {
      case 'Code':
        if (value.scope !== null) fail('BadValue', 'code with a foreign scope object');
        this.string(value.code);
        return;
      case 'BSONSymbol':
        this.string(value.value);
        return;
      case 'BsonDbPointer':
        this.string(value.namespace);
        this.bytes(value.id.id);
        return;
      case 'BsonCodeWithScope': {
        const start = this.#at;
        this.int32(0);
        this.string(value.code);
        this.document(value.scope);
        this.#buffer.writeInt32LE(this.#at - start, start);
        return;
      }
      default:
        return;
    }
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at++] = value;
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32LE(value, this.#at);
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigInt64LE(value, this.#at);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  bytes(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#buffer.set(source, this.#at);
    this.#at += source.length;
  }

  string(text: string): void {
    this.#reserve(5 + text.length * 3);
    const written = this.#buffer.write(text, this.#at + 4, 'utf8');
    this.#buffer.writeInt32LE(written + 1, this.#at);
    this.#at += 4 + written;
    this.#buffer[this.#at++] = 0;
  }

  #binary(value: Binary): void {
    const data = value.buffer.subarray(0, value.position);
    const old = value.sub_type === Binary.SUBTYPE_BYTE_ARRAY;
    this.int32(old ? data.length + 4 : data.length);
    this.byte(value.sub_type);
    // The old subtype 2 repeats the length inside.
    if (old) this.int32(data.length);
    this.bytes(data);
  }

  #cstring(text: string, what: string): void {
    if (text.includes('\0')) fail('BadValue', `a ${what} cannot contain a NUL character`);
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
    this.#buffer[this.#at++] = 0;
  }

  #reserve(size: number): void {
    const needed = this.#at + size;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}

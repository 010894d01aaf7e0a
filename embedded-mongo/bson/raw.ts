import { itemAt } from '../checked-access.js';
import { MongoError } from '../errors.js';
import { T } from './value.js';

/** The smallest document: a length and an end mark. */
export const EMPTY_DOCUMENT: Buffer = Buffer.from([5, 0, 0, 0, 0]);

export function invalidBson(reason: string): MongoError {
  return new MongoError('InvalidBSON', `invalid BSON: ${reason}`);
}

/** Bytes of a value of `type` at `offset`. Reads lengths only, so the bytes must be checked. */
export function valueSize(type: number, buffer: Buffer, offset: number): number {
  switch (type) {
    case T.double:
    case T.date:
    case T.timestamp:
    case T.int64:
      return 8;
    case T.string:
    case T.code:
    case T.symbol:
      return 4 + readLength(buffer, offset);
    case T.object:
    case T.array:
    case T.codeWithScope:
      return readLength(buffer, offset);
    case T.binary:
      return 5 + readLength(buffer, offset);
    case T.objectId:
      return 12;
    case T.bool:
      return 1;
    case T.int32:
      return 4;
    case T.decimal:
      return 16;
    case T.regex: {
      const patternEnd = cstringEnd(buffer, offset);
      return cstringEnd(buffer, patternEnd + 1) + 1 - offset;
    }
    case T.dbPointer:
      return 4 + readLength(buffer, offset) + 12;
    case T.null:
    case T.undefined:
    case T.minKey:
    case T.maxKey:
      return 0;
    default:
      throw invalidBson(`unknown element type 0x${type.toString(16)}`);
  }
}

export function readLength(buffer: Buffer, offset: number): number {
  if (offset + 4 > buffer.length) throw invalidBson('a length lies beyond the end');
  const length = readInt32(buffer, offset);
  if (length < 0 || length > buffer.length - offset) throw invalidBson(`a length of ${length} does not fit`);
  return length;
}

/** Position of the NUL that ends the cstring at `offset`. */
export function cstringEnd(buffer: Buffer, offset: number): number {
  const end = buffer.indexOf(0, offset);
  if (end < 0) throw invalidBson('an unterminated name');
  return end;
}

/** Little-endian int32 without the bounds checks of `readInt32LE`; for offsets already known to be inside. */
export function readInt32(buffer: Buffer, offset: number): number {
  return (
    (buffer[offset] ?? 0) |
    ((buffer[offset + 1] ?? 0) << 8) |
    ((buffer[offset + 2] ?? 0) << 16) |
    ((buffer[offset + 3] ?? 0) << 24)
  );
}

/** One undecoded value inside a buffer. Mutable on purpose: walkers reuse one instance. */
export class RawRef {
  buffer: Buffer = EMPTY_DOCUMENT;
  type = 0;
  start = 0;
  end = 0;

  /** A whole document. */
  static document(raw: Buffer): RawRef {
    const ref = new RawRef();
    ref.point(raw, T.object, 0, raw.length);
    return ref;
  }

  copy(): RawRef {
    const copied = new RawRef();
    copied.point(this.buffer, this.type, this.start, this.end);
    return copied;
  }

  point(buffer: Buffer, type: number, start: number, end: number): void {
    this.buffer = buffer;
    this.type = type;
    this.start = start;
    this.end = end;
  }

  /** The value's bytes, without type and name. */
  bytes(): Buffer {
    return this.buffer.subarray(this.start, this.end);
  }
}

/** Walks the elements of the document at `offset`. Call `next()` until it returns false. */
export class ElementCursor {
  type = 0;
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd: number;
  readonly #limit: number;

  constructor(
    readonly buffer: Buffer,
    offset = 0,
  ) {
    this.#limit = offset + readLength(buffer, offset) - 1;
    this.valueEnd = offset + 4;
  }

  next(): boolean {
    const at = this.valueEnd;
    if (at >= this.#limit) return false;
    this.type = this.buffer[at] ?? 0;
    this.nameStart = at + 1;
    let end = at + 1;
    while (this.buffer[end] !== 0 && end < this.#limit) end++;
    this.nameEnd = end;
    this.valueStart = end + 1;
    this.valueEnd = end + 1 + valueSize(this.type, this.buffer, end + 1);
    if (this.valueEnd > this.#limit) throw invalidBson('an element reaches beyond its document');
    return true;
  }

  get name(): string {
    return readName(this.buffer, this.nameStart, this.nameEnd);
  }

  nameIs(name: Buffer): boolean {
    return this.nameEnd - this.nameStart === name.length && bytesAt(this.buffer, this.nameStart, name);
  }

  /** Start of the whole element (its type byte). */
  get elementStart(): number {
    return this.nameStart - 1;
  }

  into(ref: RawRef): RawRef {
    ref.point(this.buffer, this.type, this.valueStart, this.valueEnd);
    return ref;
  }
}

function bytesAt(buffer: Buffer, offset: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (buffer[offset + i] !== expected[i]) return false;
  return true;
}

/** Field names are short and mostly ASCII: building them by char code beats a call into the decoder. */
export function readName(buffer: Buffer, start: number, end: number): string {
  if (end - start > 24) return buffer.toString('utf8', start, end);
  let name = '';
  for (let i = start; i < end; i++) {
    const byte = buffer[i] ?? 0;
    if (byte > 0x7f) return buffer.toString('utf8', start, end);
    name += String.fromCharCode(byte);
  }
  return name;
}

/** One step of a dotted path, with its bytes for comparison on raw names and its value as an array position. */
interface PathStep {
  readonly name: string;
  readonly bytes: Buffer;
  /** -1 when the step cannot be an array position ("0", "17"; not "01" nor "-1"). */
  readonly index: number;
}

export type Path = readonly PathStep[];

const PATH_CACHE = new Map<string, Path>();
const PATH_CACHE_LIMIT = 4_096;

/** Splits a dotted path once; paths are few and repeat, so they are remembered. */
export function compilePath(text: string): Path {
  const known = PATH_CACHE.get(text);
  if (known) return known;
  const path = text.split('.').map((name) => ({ name, bytes: Buffer.from(name, 'utf8'), index: arrayIndex(name) }));
  if (PATH_CACHE.size < PATH_CACHE_LIMIT) PATH_CACHE.set(text, path);
  return path;
}

export function arrayIndex(name: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : -1;
}

/** Finds a field of the document at `offset` and fills `out`. @returns whether the field exists. */
export function findField(buffer: Buffer, offset: number, name: Buffer, out: RawRef): boolean {
  const limit = offset + readLength(buffer, offset) - 1;
  let at = offset + 4;
  while (at < limit) {
    const type = buffer[at] ?? 0;
    let i = 0;
    let cursor = at + 1;
    while (i < name.length && buffer[cursor] === name[i]) {
      i++;
      cursor++;
    }
    const matched = i === name.length && buffer[cursor] === 0;
    while (buffer[cursor] !== 0) if (++cursor >= limit) throw invalidBson('an unterminated name');
    const start = cursor + 1;
    const end = start + valueSize(type, buffer, start);
    if (matched) {
      out.point(buffer, type, start, end);
      return true;
    }
    at = end;
  }
  return false;
}

/** Follows a path through sub-documents, and through arrays by position only; never fans out over elements. */
export function findPath(buffer: Buffer, path: string | Path, offset = 0): RawRef | undefined {
  const steps = typeof path === 'string' ? compilePath(path) : path;
  const ref = new RawRef();
  let at = offset;
  for (let i = 0; i < steps.length; i++) {
    if (i > 0 && ref.type !== T.object && ref.type !== T.array) return undefined;
    if (!findField(buffer, at, itemAt(steps, i).bytes, ref)) return undefined;
    at = ref.start;
  }
  return ref;
}

const ID_NAME = Buffer.from('_id');

/** Finds the `_id` element's value; looks first at the start, where stored documents keep it. */
export function rawId(buffer: Buffer): RawRef | undefined {
  const ref = new RawRef();
  return findField(buffer, 0, ID_NAME, ref) ? ref : undefined;
}

/** Whether the first element is `_id`: type byte at 4, name at 5. */
export function idIsFirst(buffer: Buffer): boolean {
  return buffer.length > 9 && buffer[5] === 0x5f && buffer[6] === 0x69 && buffer[7] === 0x64 && buffer[8] === 0;
}

import { Binary } from 'bson';
import { decodeRef } from '../bson/decode.js';
import { compareBigInts, compareNumbers, isNumber } from '../bson/number.js';
import { ElementCursor, type RawRef, readInt32 } from '../bson/raw.js';
import { type BsonDoc, type BsonValue, canonicalOrder, hasTag, isDoc, T, type Tagged, typeOf } from '../bson/value.js';
import type { TextOrder } from './collation.js';

/**
 * MongoDB's total order over all BSON values: first the place of the type, then the value; numbers of all four types
 * by exact value, strings by UTF-8 bytes (or as `text` orders them), binary by length, subtype, bytes, documents field
 * by field.
 */
export function compareValues(a: BsonValue, b: BsonValue, text: TextOrder = compareText): number {
  const typeA = typeOf(a);
  const typeB = typeOf(b);
  const place = canonicalOrder(typeA) - canonicalOrder(typeB);
  if (place !== 0) return place < 0 ? -1 : 1;
  if (typeof a === 'string' || typeof b === 'string') return Math.sign(text(textOf(a), textOf(b)));
  if (a === null || b === null || typeof a === 'boolean' || typeof b === 'boolean') return Number(a) - Number(b);
  if (Array.isArray(a)) return Array.isArray(b) ? compareArrays(a, b, text) : 0;
  return Array.isArray(b) ? 0 : compareObjects(a, b, text);
}

/** Equal in that order: 1, 1.0, 1L and Decimal 1 are; documents with other field order are not. */
export function equalValues(a: BsonValue, b: BsonValue, text?: TextOrder): boolean {
  return compareValues(a, b, text) === 0;
}

/** The order of aggregation expressions, where a missing value is below everything. */
export function compareMaybe(a: BsonValue | undefined, b: BsonValue | undefined, text?: TextOrder): number {
  if (a === undefined) return b === undefined ? 0 : -1;
  return b === undefined ? 1 : compareValues(a, b, text);
}

/** Compares two objects of the same place in the order: two numbers of any type, or two values of one class. */
function compareObjects(a: Tagged, b: Tagged, text: TextOrder): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (isDoc(a) && isDoc(b)) return compareDocuments(a, b, text);
  if (hasTag(a, 'ObjectId') && hasTag(b, 'ObjectId')) return Buffer.compare(a.id, b.id);
  if (hasTag(a, 'BsonDate') && hasTag(b, 'BsonDate')) return compareBigInts(a.ms, b.ms);
  if (hasTag(a, 'Timestamp') && hasTag(b, 'Timestamp')) return Math.sign(a.t - b.t) || Math.sign(a.i - b.i);
  if (hasTag(a, 'Binary') && hasTag(b, 'Binary'))
    return (
      Math.sign(storedLength(a) - storedLength(b)) ||
      Math.sign(a.sub_type - b.sub_type) ||
      Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
    );
  if (hasTag(a, 'BSONRegExp') && hasTag(b, 'BSONRegExp'))
    return compareText(a.pattern, b.pattern) || compareText(a.options, b.options);
  if (hasTag(a, 'BSONSymbol')) return Math.sign(text(a.value, textOf(b)));
  if (hasTag(a, 'Code') && hasTag(b, 'Code')) return compareText(a.code, b.code);
  if (hasTag(a, 'BsonCodeWithScope') && hasTag(b, 'BsonCodeWithScope'))
    return compareText(a.code, b.code) || compareDocuments(a.scope, b.scope, compareText);
  if (hasTag(a, 'BsonDbPointer') && hasTag(b, 'BsonDbPointer')) {
    const [left, right] = [Buffer.from(a.namespace), Buffer.from(b.namespace)];
    return Math.sign(left.length - right.length) || Buffer.compare(left, right) || Buffer.compare(a.id.id, b.id.id);
  }
  // MinKey, MaxKey and undefined have one value each.
  return 0;
}

/** The length on the wire, which for the old subtype 2 counts the second length too. */
function storedLength(value: Binary): number {
  return value.position + (value.sub_type === Binary.SUBTYPE_BYTE_ARRAY ? 4 : 0);
}

function textOf(value: BsonValue): string {
  if (typeof value === 'string') return value;
  return hasTag(value, 'BSONSymbol') ? value.value : '';
}

/** UTF-8 byte order of two JS strings: UTF-16 order but for surrogates, which encode code points above U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byteRank(left) < byteRank(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function compareArrays(a: readonly BsonValue[], b: readonly BsonValue[], text: TextOrder): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const order = compareValues(a[i] ?? null, b[i] ?? null, text);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** Per field: place of the value's type, then name, then value; a document that ends first is smaller. */
function compareDocuments(a: BsonDoc, b: BsonDoc, text: TextOrder): number {
  const shared = Math.min(a.size, b.size);
  for (let i = 0; i < shared; i++) {
    const left = a.values[i] ?? null;
    const right = b.values[i] ?? null;
    const order =
      Math.sign(canonicalOrder(typeOf(left)) - canonicalOrder(typeOf(right))) ||
      compareText(a.keys[i] ?? '', b.keys[i] ?? '') ||
      compareValues(left, right, text);
    if (order !== 0) return order;
  }
  return Math.sign(a.size - b.size);
}

/** `compareValues` over undecoded values; the types of most filters (strings, int32, double, ids, dates) stay bytes. */
export function compareRaw(a: RawRef, b: RawRef, text?: TextOrder): number {
  const place = canonicalOrder(a.type) - canonicalOrder(b.type);
  if (place !== 0) return place < 0 ? -1 : 1;
  switch (a.type) {
    case T.int32:
      if (b.type === T.int32) return Math.sign(readInt32(a.buffer, a.start) - readInt32(b.buffer, b.start));
      break;
    case T.string:
      if (b.type === T.string && !text)
        return a.buffer.compare(b.buffer, b.start + 4, b.end - 1, a.start + 4, a.end - 1);
      break;
    case T.objectId:
      return a.buffer.compare(b.buffer, b.start, b.end, a.start, a.end);
    case T.bool:
      return (a.buffer[a.start] ?? 0) - (b.buffer[b.start] ?? 0);
    case T.null:
    case T.minKey:
    case T.maxKey:
    case T.undefined:
      return 0;
    case T.object:
      return compareRawDocuments(a, b, true, text);
    case T.array:
      return compareRawDocuments(a, b, false, text);
    default:
      break;
  }
  return compareValues(decodeRef(a), decodeRef(b), text);
}

export function equalRaw(a: RawRef, b: RawRef, text?: TextOrder): boolean {
  if (a.type === b.type && sameBytes(a, b)) return true;
  // Same type, other bytes: only these can still be equal (-0 and 0, decimal 1.0 and 1.00, and what contains them).
  if (a.type === b.type && !text && !MANY_FORMS.has(a.type)) return false;
  return compareRaw(a, b, text) === 0;
}

const MANY_FORMS: ReadonlySet<number> = new Set([T.double, T.decimal, T.object, T.array]);

function sameBytes(a: RawRef, b: RawRef): boolean {
  const size = a.end - a.start;
  if (size !== b.end - b.start) return false;
  return size === 0 || a.buffer.compare(b.buffer, b.start, b.end, a.start, a.end) === 0;
}

function compareRawDocuments(a: RawRef, b: RawRef, named: boolean, text: TextOrder | undefined): number {
  const left = new ElementCursor(a.buffer, a.start);
  const right = new ElementCursor(b.buffer, b.start);
  const leftRef = a.copy();
  const rightRef = b.copy();
  for (;;) {
    const more = left.next();
    if (!right.next()) return more ? 1 : 0;
    if (!more) return -1;
    const place = canonicalOrder(left.type) - canonicalOrder(right.type);
    if (place !== 0) return place < 0 ? -1 : 1;
    if (named) {
      const names = left.buffer.compare(right.buffer, right.nameStart, right.nameEnd, left.nameStart, left.nameEnd);
      if (names !== 0) return names;
    }
    const order = compareRaw(left.into(leftRef), right.into(rightRef), text);
    if (order !== 0) return order;
  }
}

import { Binary } from 'bson';
import { compareBigInts, compareNumbers } from '../bson/number.js';
import { canonicalOrder } from '../bson/types.js';
import { type BsonDoc, type BsonNumber, type BsonValue, typeOf } from '../bson/value.js';
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
  if (Array.isArray(a)) return compareArrays(a, b as BsonValue[], text);
  return compareObjects(a, b as typeof a, text);
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

type Boxed = Exclude<BsonValue, null | string | boolean | BsonValue[]>;

function compareObjects(a: Boxed, b: Boxed, text: TextOrder): number {
  switch (a._bsontype) {
    case 'Int32':
    case 'Double':
    case 'Long':
    case 'Decimal128':
      return compareNumbers(a, b as BsonNumber);
    case 'BsonDoc':
      return compareDocuments(a, b as BsonDoc, text);
    case 'ObjectId':
      return Buffer.compare(a.id, (b as typeof a).id);
    case 'BsonDate':
      return compareBigInts(a.ms, (b as typeof a).ms);
    case 'Timestamp': {
      const other = b as typeof a;
      return Math.sign(a.t - other.t) || Math.sign(a.i - other.i);
    }
    case 'Binary': {
      const other = b as typeof a;
      return (
        Math.sign(storedLength(a) - storedLength(other)) ||
        Math.sign(a.sub_type - other.sub_type) ||
        Buffer.compare(a.buffer.subarray(0, a.position), other.buffer.subarray(0, other.position))
      );
    }
    case 'BSONRegExp': {
      const other = b as typeof a;
      return compareText(a.pattern, other.pattern) || compareText(a.options, other.options);
    }
    default:
      return compareRare(a, b, text);
  }
}

/** The length on the wire, which for the old subtype 2 counts the second length too. */
function storedLength(value: Binary): number {
  return value.position + (value.sub_type === Binary.SUBTYPE_BYTE_ARRAY ? 4 : 0);
}

function compareRare(a: Boxed, b: Boxed, text: TextOrder): number {
  switch (a._bsontype) {
    case 'BSONSymbol':
      return Math.sign(text(a.value, textOf(b)));
    case 'Code':
      return compareText(a.code, (b as typeof a).code);
    case 'BsonCodeWithScope': {
      const other = b as typeof a;
      return compareText(a.code, other.code) || compareDocuments(a.scope, other.scope, compareText);
    }
    case 'BsonDbPointer': {
      const other = b as typeof a;
      const [left, right] = [Buffer.from(a.namespace), Buffer.from(other.namespace)];
      return (
        Math.sign(left.length - right.length) || Buffer.compare(left, right) || Buffer.compare(a.id.id, other.id.id)
      );
    }
    default:
      // MinKey, MaxKey and undefined have one value each.
      return 0;
  }
}

function textOf(value: BsonValue): string {
  if (typeof value === 'string') return value;
  return value !== null && typeof value === 'object' && '_bsontype' in value && value._bsontype === 'BSONSymbol'
    ? value.value
    : '';
}

/** UTF-8 byte order of two JS strings: UTF-16 order but for surrogates, which stand for code points above U+FFFF. */
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
    const order = compareValues(a[i] as BsonValue, b[i] as BsonValue, text);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** Per field: place of the value's type, then name, then value; a document that ends first is smaller. */
function compareDocuments(a: BsonDoc, b: BsonDoc, text: TextOrder): number {
  const shared = Math.min(a.size, b.size);
  for (let i = 0; i < shared; i++) {
    const left = a.values[i] as BsonValue;
    const right = b.values[i] as BsonValue;
    const order =
      Math.sign(canonicalOrder(typeOf(left)) - canonicalOrder(typeOf(right))) ||
      compareText(a.keys[i] as string, b.keys[i] as string) ||
      compareValues(left, right, text);
    if (order !== 0) return order;
  }
  return Math.sign(a.size - b.size);
}

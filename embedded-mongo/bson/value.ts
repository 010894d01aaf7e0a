import {
  Binary,
  BSONRegExp,
  type BSONSymbol,
  type Code,
  type Decimal128,
  Double,
  Int32,
  Long,
  type MaxKey,
  type MinKey,
  ObjectId,
  type Timestamp,
} from 'bson';
import { fail } from '../errors.js';

/** Type bytes of the BSON specification (bsonspec.org), and the two orders and name tables built on them. */
export const T = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  bool: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

/** The names of `$type` that differ from the keys of `T`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  binary: 'binData',
  code: 'javascript',
  codeWithScope: 'javascriptWithScope',
  int32: 'int',
  int64: 'long',
};

/** Names as `$type` (query) and `$type` (expression) know them, with the number a query may give instead. */
export const TYPE_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(T).map(([name, type]) => [type, OTHER_NAMES[name] ?? name]),
);

export const TYPE_BY_NAME: ReadonlyMap<string, number> = new Map([...TYPE_NAMES].map(([code, name]) => [name, code]));

/** Place of each type in the comparison order; types of one place (the numbers, string and symbol) compare by value. */
export const PLACE = {
  minKey: 1,
  undefined: 3,
  null: 5,
  double: 10,
  int32: 10,
  int64: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  dbPointer: 55,
  code: 60,
  codeWithScope: 65,
  maxKey: 127,
} as const satisfies Record<keyof typeof T, number>;

const orderOfType = new Int16Array(256).fill(-1);
const places = new Map<string, number>(Object.entries(PLACE));
for (const [name, type] of Object.entries(T)) orderOfType[type] = places.get(name) ?? -1;

/** Canonical place of a type byte; -1 for a byte that is no BSON type. */
export function canonicalOrder(type: number): number {
  return orderOfType[type] ?? -1;
}

export function isNumberType(type: number): boolean {
  return type === T.int32 || type === T.double || type === T.int64 || type === T.decimal;
}

/** Milliseconds since the epoch as the int64 the wire carries; a JS Date cannot hold all of its range. */
export class BsonDate {
  constructor(readonly ms: bigint) {}
  static fromMs(ms: number): BsonDate {
    return new BsonDate(BigInt(Math.trunc(ms)));
  }
  get _bsontype(): 'BsonDate' {
    return 'BsonDate';
  }
}

/** The deprecated BSON type 0x06, kept so that stored bytes survive; not the JS `undefined`, which means "missing". */
export class BsonUndefined {
  get _bsontype(): 'BsonUndefined' {
    return 'BsonUndefined';
  }
}

/** Deprecated BSON type 0x0c, kept for the same reason. */
export class BsonDbPointer {
  constructor(
    readonly namespace: string,
    readonly id: ObjectId,
  ) {}
  get _bsontype(): 'BsonDbPointer' {
    return 'BsonDbPointer';
  }
}

/** Deprecated BSON type 0x0f. */
export class BsonCodeWithScope {
  constructor(
    readonly code: string,
    readonly scope: BsonDoc,
  ) {}
  get _bsontype(): 'BsonCodeWithScope' {
    return 'BsonCodeWithScope';
  }
}

type BsonScalar =
  | null
  | boolean
  | string
  | Int32
  | Double
  | Long
  | Decimal128
  | ObjectId
  | Binary
  | Timestamp
  | BSONRegExp
  | MinKey
  | MaxKey
  | Code
  | BSONSymbol
  | BsonDate
  | BsonUndefined
  | BsonDbPointer
  | BsonCodeWithScope;

export type BsonValue = BsonScalar | BsonDoc | BsonValue[];

/** A value that is an object with a type tag. */
export type Tagged = Exclude<BsonValue, null | boolean | string | BsonValue[]>;

export type BsonNumber = Int32 | Double | Long | Decimal128;

/**
 * An ordered document. Not a plain object, because JS moves integer-like keys to the front, and field order is part
 * of a BSON document's identity. A key may occur twice (BSON allows it); `get` finds the first.
 */
export class BsonDoc {
  constructor(
    readonly keys: string[] = [],
    readonly values: BsonValue[] = [],
  ) {}

  /** From a literal, for specifications and tests: whole numbers become int32 or double, bigint long, Date date. */
  static of(literal: object): BsonDoc {
    return new BsonDoc().appendAll(literal);
  }

  get _bsontype(): 'BsonDoc' {
    return 'BsonDoc';
  }

  get size(): number {
    return this.keys.length;
  }

  get(key: string): BsonValue | undefined {
    const at = this.keys.indexOf(key);
    return at < 0 ? undefined : this.values[at];
  }

  has(key: string): boolean {
    return this.keys.includes(key);
  }

  set(key: string, value: BsonValue): this {
    const at = this.keys.indexOf(key);
    if (at < 0) return this.append(key, value);
    this.values[at] = value;
    return this;
  }

  /** Adds at the end without looking for the key: the way decoders fill a document. */
  append(key: string, value: BsonValue): this {
    this.keys.push(key);
    this.values.push(value);
    return this;
  }

  /** Appends the members of a literal that are not undefined. */
  appendAll(literal: object): this {
    for (const [key, value] of Object.entries(literal)) if (value !== undefined) this.append(key, toBson(value));
    return this;
  }

  delete(key: string): boolean {
    const at = this.keys.indexOf(key);
    if (at < 0) return false;
    this.keys.splice(at, 1);
    this.values.splice(at, 1);
    return true;
  }

  *entries(): IterableIterator<[string, BsonValue]> {
    for (let i = 0; i < this.keys.length; i++) yield [this.keys[i] ?? '', this.values[i] ?? null];
  }

  [Symbol.iterator](): IterableIterator<[string, BsonValue]> {
    return this.entries();
  }
}

/** The type byte of a value. */
export function typeOf(value: BsonValue): number {
  if (value === null) return T.null;
  if (typeof value === 'string') return T.string;
  if (typeof value === 'boolean') return T.bool;
  if (Array.isArray(value)) return T.array;
  return TYPE_BY_TAG[value._bsontype];
}

const TYPE_BY_TAG = {
  BsonDoc: T.object,
  Int32: T.int32,
  Double: T.double,
  Long: T.int64,
  Decimal128: T.decimal,
  ObjectId: T.objectId,
  Binary: T.binary,
  Timestamp: T.timestamp,
  BSONRegExp: T.regex,
  MinKey: T.minKey,
  MaxKey: T.maxKey,
  Code: T.code,
  BSONSymbol: T.symbol,
  BsonDate: T.date,
  BsonUndefined: T.undefined,
  BsonDbPointer: T.dbPointer,
  BsonCodeWithScope: T.codeWithScope,
} as const;

/** Narrows a value to the class that its tag names. */
export function hasTag<K extends Tagged['_bsontype']>(
  value: BsonValue | undefined,
  tag: K,
): value is Extract<Tagged, { readonly _bsontype: K }> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value._bsontype === tag;
}

function isTagged(value: object): value is Tagged {
  return '_bsontype' in value && String(value._bsontype) in TYPE_BY_TAG;
}

export function isDoc(value: BsonValue | undefined): value is BsonDoc {
  return value instanceof BsonDoc;
}

/** Converts a JS literal to a value; keeps a value unchanged. */
export function toBson(value: unknown): BsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberToBson(value);
  if (typeof value === 'bigint') return Long.fromBigInt(value);
  if (Array.isArray(value)) return value.map(toBson);
  if (typeof value === 'object') {
    if (isTagged(value)) return value;
    if (value instanceof Date) return BsonDate.fromMs(value.getTime());
    if (value instanceof Uint8Array) return new Binary(Buffer.from(value), 0);
    if (value instanceof RegExp) return new BSONRegExp(value.source, value.flags.replace(/[^ims]/g, ''));
    return BsonDoc.of(value);
  }
  fail('TypeMismatch', `a ${typeof value} cannot be a BSON value`);
}

/** Converts whole numbers that fit to int32 and all others to double, as drivers do. */
export function numberToBson(value: number): Int32 | Double {
  return (value | 0) === value && !Object.is(value, -0) ? new Int32(value) : new Double(value);
}

/** A fresh ObjectId sharing no memory with `bytes`. */
export function objectIdFrom(bytes: Buffer, offset: number): ObjectId {
  return new ObjectId(Buffer.from(bytes.subarray(offset, offset + 12)));
}

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
import { MongoError } from '../errors.js';
import { T } from './types.js';

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

export type BsonScalar =
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
  static of(literal: Record<string, unknown>): BsonDoc {
    const doc = new BsonDoc();
    for (const [key, value] of Object.entries(literal)) if (value !== undefined) doc.append(key, toBson(value));
    return doc;
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

  delete(key: string): boolean {
    const at = this.keys.indexOf(key);
    if (at < 0) return false;
    this.keys.splice(at, 1);
    this.values.splice(at, 1);
    return true;
  }

  *entries(): IterableIterator<[string, BsonValue]> {
    for (let i = 0; i < this.keys.length; i++) yield [this.keys[i] as string, this.values[i] as BsonValue];
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
  return typeByTag[value._bsontype];
}

const typeByTag = {
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

export function isDoc(value: BsonValue | undefined): value is BsonDoc {
  return value instanceof BsonDoc;
}

/** Turns a JS literal into a value; what is a value already is kept as it is. */
export function toBson(value: unknown): BsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberToBson(value);
  if (typeof value === 'bigint') return Long.fromBigInt(value);
  if (Array.isArray(value)) return value.map(toBson);
  if (typeof value === 'object') {
    if ('_bsontype' in value && String(value._bsontype) in typeByTag) return value as BsonValue;
    if (value instanceof Date) return BsonDate.fromMs(value.getTime());
    if (value instanceof Uint8Array) return new Binary(Buffer.from(value), 0);
    if (value instanceof RegExp) return new BSONRegExp(value.source, value.flags.replace(/[^ims]/g, ''));
    return BsonDoc.of(value as Record<string, unknown>);
  }
  throw new MongoError('TypeMismatch', `a ${typeof value} cannot be a BSON value`);
}

/** Whole numbers that fit become int32, all others double: what drivers send for a JS number. */
export function numberToBson(value: number): Int32 | Double {
  return (value | 0) === value && !Object.is(value, -0) ? new Int32(value) : new Double(value);
}

/** A fresh ObjectId sharing no memory with `bytes`. */
export function objectIdFrom(bytes: Buffer, offset: number): ObjectId {
  return new ObjectId(Buffer.from(bytes.subarray(offset, offset + 12)));
}

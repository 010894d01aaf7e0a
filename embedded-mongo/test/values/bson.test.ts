import { describe, expect, it } from '@jest/globals';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { findPath, idIsFirst, rawId } from '../../bson/raw.js';
import { BsonCodeWithScope, BsonDate, BsonDbPointer, BsonDoc, BsonUndefined, T, toBson } from '../../bson/value.js';
import { MongoError } from '../../errors.js';

function everyType(): BsonDoc {
  return new BsonDoc()
    .append('_id', new ObjectId('65a1b2c3d4e5f60718293a4b'))
    .append('2', new Int32(-5))
    .append('1', new Double(-0))
    .append('long', Long.fromString('9223372036854775807'))
    .append('decimal', Decimal128.fromString('-1.50E+10'))
    .append('text', 'grün 😀 \u0000 end')
    .append('list', [null, true, [false], BsonDoc.of({ b: 1, a: 2 })])
    .append('binary', new Binary(Buffer.from([1, 2, 3]), 5))
    .append('oldBinary', new Binary(Buffer.from([1, 2, 3]), 2))
    .append('date', new BsonDate(-9_223_372_036_854_775_808n))
    .append('timestamp', new Timestamp({ t: 4_294_967_295, i: 7 }))
    .append('regex', new BSONRegExp('^a+', 'im'))
    .append('min', new MinKey())
    .append('max', new MaxKey())
    .append('code', new Code('return 1'))
    .append('symbol', new BSONSymbol('s'))
    .append('undefined', new BsonUndefined())
    .append('scope', new BsonCodeWithScope('f()', BsonDoc.of({ x: 1 })))
    .append('pointer', new BsonDbPointer('db.c', new ObjectId('65a1b2c3d4e5f60718293a4b')));
}

function codeOf(act: () => unknown): number | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof MongoError) return error.code;
    throw error;
  }
}

describe('BSON bytes', () => {
  it('round-trip every type byte for byte, with integer-like keys in order', () => {
    const bytes = encodeDocument(everyType());
    const decoded = decodeDocument(bytes);
    expect(decoded.keys.slice(0, 3)).toEqual(['_id', '2', '1']);
    expect(encodeDocument(decoded).equals(bytes)).toBe(true);
  });

  it('keep the order of regular expression options', () => {
    const bytes = Buffer.from([14, 0, 0, 0, 0x0b, 0x72, 0, 0x61, 0, 0x78, 0x69, 0x7a, 0, 0]);
    expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
  });

  it('share no memory with decoded values', () => {
    const bytes = encodeDocument(everyType());
    const decoded = decodeDocument(bytes);
    const before = encodeDocument(decoded);
    bytes.fill(0xff);
    expect(encodeDocument(decoded).equals(before)).toBe(true);
  });

  it('decode, or fail with InvalidBSON, after any cut or changed byte', () => {
    const bytes = encodeDocument(everyType());
    for (let end = 0; end < bytes.length; end++) {
      expect(codeOf(() => decodeDocument(Buffer.from(bytes.subarray(0, end))))).toBe(22);
    }
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        expect([undefined, 22]).toContain(codeOf(() => decodeDocument(changed)));
      }
    }
  });

  it('are rejected with bad UTF-8, bad booleans or wrong inner lengths', () => {
    const text = encodeDocument(BsonDoc.of({ a: 'xyz' }));
    text[11] = 0xff;
    expect(codeOf(() => decodeDocument(text))).toBe(22);
    const flag = encodeDocument(BsonDoc.of({ a: true }));
    flag[7] = 2;
    expect(codeOf(() => decodeDocument(flag))).toBe(22);
  });

  it('may nest 200 levels; 201 levels are an Overflow both ways', () => {
    const nested = (levels: number): BsonDoc => {
      let doc = BsonDoc.of({});
      for (let i = 1; i < levels; i++) doc = new BsonDoc().append('a', doc);
      return doc;
    };
    expect(decodeDocument(encodeDocument(nested(200))).size).toBe(1);
    expect(codeOf(() => encodeDocument(nested(201)))).toBe(15);
    const bytes = encodeDocument(nested(200));
    const deeper = Buffer.concat([Buffer.alloc(4), Buffer.from([3, 0x61, 0]), bytes, Buffer.from([0])]);
    deeper.writeInt32LE(deeper.length, 0);
    expect(codeOf(() => decodeDocument(deeper))).toBe(15);
  });

  it('cannot encode a NUL inside a field name', () => {
    expect(codeOf(() => encodeDocument(new BsonDoc().append('a\0b', null)))).toBe(2);
  });
});

describe('walking bytes', () => {
  it('finds paths through documents and array positions', () => {
    const bytes = encodeDocument(BsonDoc.of({ a: { b: [{ c: 'x' }, { c: 'y' }] }, ab: 1 }));
    expect(findPath(bytes, 'a.b.1.c')?.type).toBe(T.string);
    expect(findPath(bytes, 'a.b.c')).toBeUndefined();
    expect(findPath(bytes, 'ab')?.type).toBe(T.int32);
    expect(findPath(bytes, 'abc')).toBeUndefined();
  });

  it('finds _id at any position', () => {
    const first = encodeDocument(BsonDoc.of({ _id: 1, a: 2 }));
    const last = encodeDocument(BsonDoc.of({ a: 2, _id: 1 }));
    expect(idIsFirst(first)).toBe(true);
    expect(idIsFirst(last)).toBe(false);
    expect(rawId(first)?.bytes()).toEqual(rawId(last)?.bytes());
  });

  it('converts literals to the types that drivers send', () => {
    expect(toBson(1)).toBeInstanceOf(Int32);
    expect(toBson(2 ** 31)).toBeInstanceOf(Double);
    expect(toBson(1n)).toBeInstanceOf(Long);
    expect(toBson(new Date(5))).toEqual(BsonDate.fromMs(5));
  });
});

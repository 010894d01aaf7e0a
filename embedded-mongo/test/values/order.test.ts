import { describe, expect, it } from '@jest/globals';
import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey } from 'bson';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { type RawRef, rawId } from '../../bson/raw.js';
import { BsonDate, BsonDoc, BsonUndefined, type BsonValue, T, typeOf } from '../../bson/value.js';
import { compareRaw, compareValues, equalRaw } from '../../compare/compare.js';
import { MongoError } from '../../errors.js';
import { cutBounds, cutKey, encodeKey, refOf } from '../../keystring/encode.js';
import { compileKeys, compileSortKey, type KeyField, type KeyOptions } from '../../keystring/extract.js';
import { compileMatcher } from '../../match/matcher.js';
import { seeded } from '../seeded.js';
import { randomNumber, randomScalar, randomValue } from './generator.js';
import { keyBounds, prefixBounds } from './key-bounds.js';

const indexKeys = (raw: Buffer, fields: readonly KeyField[], options?: KeyOptions) => compileKeys(fields, options)(raw);

const describeValue = (value: BsonValue): string => encodeDocument(new BsonDoc().append('v', value)).toString('hex');

interface Forms {
  readonly value: BsonValue;
  readonly ref: RawRef;
  readonly up: Buffer;
  readonly down: Buffer;
}

function formsOf(value: BsonValue): Forms {
  const ref = refOf(value);
  if (!ref) throw new Error('a value has bytes');
  return { value, ref, up: encodeKey([value], [1]), down: encodeKey([value], [-1]) };
}

/** The pairs on which the forms of a value do not order alike. */
function disagreements(values: readonly BsonValue[]): string[] {
  const forms = values.map(formsOf);
  const found: string[] = [];
  for (const a of forms) {
    for (const b of forms) {
      const order = compareValues(a.value, b.value);
      const same =
        compareValues(b.value, a.value) + order === 0 &&
        compareRaw(a.ref, b.ref) === order &&
        equalRaw(a.ref, b.ref) === (order === 0) &&
        Buffer.compare(a.up, b.up) === order &&
        Buffer.compare(a.down, b.down) + order === 0;
      if (!same) found.push(`${describeValue(a.value)} ${describeValue(b.value)}`);
    }
  }
  return found;
}

describe('order of values', () => {
  it('is equal for comparator, raw comparator and keys on every pair of 400 random values', () => {
    const random = seeded(7);
    const values = Array.from({ length: 400 }, () => randomValue(random));
    expect(disagreements(values)).toEqual([]);
  });

  it('is equal on every pair of 400 random numbers of all four types', () => {
    const random = seeded(11);
    const values = Array.from({ length: 400 }, () => randomNumber(random));
    expect(disagreements(values)).toEqual([]);
  });

  it('follows the direction of each field of a compound key', () => {
    const random = seeded(13);
    const rows = Array.from({ length: 120 }, () => [randomValue(random, 1), randomValue(random, 1)] as const);
    const wrong: unknown[] = [];
    for (const a of rows) {
      for (const b of rows) {
        const expected = compareValues(a[0], b[0]) || -compareValues(a[1], b[1]) || 0;
        if (Buffer.compare(encodeKey(a, [1, -1]), encodeKey(b, [1, -1])) !== expected) wrong.push([a, b]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('follows the documented order of types', () => {
    const ordered: BsonValue[] = [
      new MinKey(),
      null,
      new Double(Number.NaN),
      Decimal128.fromString('-Infinity'),
      Long.fromString('9007199254740993'),
      Decimal128.fromString('9007199254740993.5'),
      'Z',
      'a',
      'é',
      '\uffee',
      '😀',
      BsonDoc.of({ a: 1 }),
      BsonDoc.of({ b: 1 }),
      BsonDoc.of({ b: 1, a: 1 }),
      [],
      [new Int32(1)],
      new Binary(Buffer.from('b'), 5),
      new Binary(Buffer.from('aa'), 0),
      false,
      BsonDate.fromMs(-1),
      BsonDate.fromMs(1),
      new MaxKey(),
    ];
    for (let i = 1; i < ordered.length; i++) {
      expect(compareValues(ordered[i - 1] as BsonValue, ordered[i] as BsonValue)).toBe(-1);
    }
  });

  it('shares one key for 5, 5.0, 5L and decimal 5.00, and for missing and null', () => {
    const fives = [new Int32(5), new Double(5), Long.fromNumber(5), Decimal128.fromString('5.00')];
    expect(new Set(fives.map((five) => encodeKey([five], [1]).toString('hex'))).size).toBe(1);
    expect(encodeKey([undefined], [1])).toEqual(encodeKey([null], [1]));
  });
});

describe('long keys', () => {
  const limit = 64;
  const inside = (key: Buffer, bounds: { lower: Buffer; upper: Buffer }): boolean =>
    Buffer.compare(key, bounds.lower) >= 0 && Buffer.compare(key, bounds.upper) < 0;

  it('stay within cut bounds', () => {
    const random = seeded(17);
    const texts = Array.from(
      { length: 60 },
      () => 'xy'[Math.floor(random() * 2)]?.repeat(Math.floor(random() * 120)) ?? '',
    );
    for (const from of texts) {
      const full = keyBounds([], [1], { from: { value: from, inclusive: false } });
      const bounds = cutBounds(full.lower, full.upper, limit);
      for (const text of texts) {
        const key = encodeKey([text], [1]);
        if (inside(key, full)) expect(inside(cutKey(key, limit).key, bounds)).toBe(true);
      }
    }
  });

  it('differ for different long values', () => {
    const keys = ['a', 'b'].map((end) => cutKey(encodeKey([`${'x'.repeat(200)}${end}`], [1]), limit));
    expect(keys[0]?.cut).toBe(true);
    expect(keys[0]?.key.length).toBe(limit);
    expect(keys[0]?.key.equals(keys[1]?.key ?? Buffer.alloc(0))).toBe(false);
  });
});

describe('range bounds', () => {
  it('contain exactly the values that a comparison operator accepts, in both directions', () => {
    const random = seeded(19);
    const values = Array.from({ length: 150 }, () => randomNumber(random));
    const isNan = (value: BsonValue): boolean => compareValues(value, new Double(Number.NaN)) === 0;
    for (const direction of [1, -1] as const) {
      for (const from of values.slice(0, 20).filter((value) => !isNan(value))) {
        const above = keyBounds(['k'], [1, direction], { from: { value: from, inclusive: false } });
        const below = keyBounds(['k'], [1, direction], { to: { value: from, inclusive: true } });
        for (const value of [...values, 'text', null]) {
          const key = encodeKey(['k', value], [1, direction]);
          const comparable = typeof value !== 'string' && value !== null && !isNan(value);
          const within = (bounds: { lower: Buffer; upper: Buffer }): boolean =>
            Buffer.compare(key, bounds.lower) >= 0 && Buffer.compare(key, bounds.upper) < 0;
          expect(within(above)).toBe(comparable && compareValues(value, from) > 0);
          expect(within(below)).toBe(comparable && compareValues(value, from) <= 0);
        }
      }
    }
  });
});

describe('filters and bounds', () => {
  it('agree on strings with a prefix, in both directions', () => {
    const texts = ['', 'a', 'ab', 'abc', 'ab\0', 'ab\x01', 'ab\uffff', 'ab😀', 'ac', 'b', 'Ab'];
    for (const direction of [1, -1] as const) {
      const { lower, upper } = prefixBounds(['k'], [1, direction], 'ab');
      const within = texts.filter((text) => {
        const key = encodeKey(['k', text], [1, direction]);
        return Buffer.compare(key, lower) >= 0 && Buffer.compare(key, upper) < 0;
      });
      expect(within).toEqual(texts.filter((text) => text.startsWith('ab')));
    }
  });

  it('agree on scalars for comparisons and equality', () => {
    const random = seeded(29);
    const usable = (value: BsonValue): boolean =>
      value !== null && ![T.undefined, T.minKey, T.maxKey, T.regex].includes(typeOf(value) as 6);
    const values = Array.from({ length: 160 }, () => randomScalar(random)).filter(usable);
    const isNan = (value: BsonValue): boolean => compareValues(value, new Double(Number.NaN)) === 0;
    const raws = values.map((value) => encodeDocument(new BsonDoc().append('a', value)));
    const keys = values.map((value) => encodeKey([value], [1]));
    const wrong: string[] = [];
    for (const operand of values.filter((value) => !isNan(value))) {
      for (const operator of ['$gt', '$gte', '$lt', '$lte', '$eq']) {
        const end = { value: operand, inclusive: operator.endsWith('e') };
        const range = operator.startsWith('$g') ? { from: end } : { to: end };
        const bounds = operator === '$eq' ? keyBounds([operand], [1]) : keyBounds([], [1], range);
        const matcher = compileMatcher(new BsonDoc(['a'], [new BsonDoc([operator], [operand])]));
        for (const [i, raw] of raws.entries()) {
          const key = keys[i] as Buffer;
          const within = Buffer.compare(key, bounds.lower) >= 0 && Buffer.compare(key, bounds.upper) < 0;
          if (matcher.matches(raw) !== within)
            wrong.push(`${operator} ${describeValue(operand)} ${raw.toString('hex')}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('keys of a document', () => {
  const keysOf = (literal: Record<string, unknown>, ...paths: string[]): string[] =>
    indexKeys(
      encodeDocument(BsonDoc.of(literal)),
      paths.map((path) => ({ path, direction: 1 })),
    ).keys.map((key) => key.toString('hex'));
  const keys = (...rows: (BsonValue | undefined)[][]): string[] =>
    rows
      .map((row) =>
        encodeKey(
          row,
          row.map(() => 1),
        ).toString('hex'),
      )
      .sort();
  const int = (value: number): Int32 => new Int32(value);

  it('are one for plain, nested and missing fields', () => {
    expect(keysOf({ a: 1, b: { c: 2 } }, 'a', 'b.c')).toEqual(keys([int(1), int(2)]));
    expect(keysOf({}, 'a', 'b.c')).toEqual(keys([null, null]));
    expect(keysOf({ b: 1 }, 'b.c')).toEqual(keys([null]));
  });

  it('are one for each distinct array element; inner arrays stay whole', () => {
    expect(keysOf({ a: [1, 2, 1] }, 'a')).toEqual(keys([int(1)], [int(2)]));
    expect(keysOf({ a: [[1, 2]] }, 'a')).toEqual(keys([[int(1), int(2)]]));
  });

  it('are undefined for an empty array at the end of the path and missing inside it', () => {
    expect(keysOf({ a: [] }, 'a')).toEqual(keys([new BsonUndefined()]));
    expect(keysOf({ a: [] }, 'a.b')).toEqual(keys([null]));
  });

  it('keep fields below one array together', () => {
    const literal = { a: [{ b: 1, c: 2 }, { b: 3 }, 7] };
    expect(keysOf(literal, 'a.b', 'a.c')).toEqual(keys([int(1), int(2)], [int(3), null], [null, null]));
  });

  it('follow positions unless elements have such a field', () => {
    expect(keysOf({ a: [5, 6] }, 'a.1')).toEqual(keys([int(6)]));
    expect(keysOf({ a: [5, { 1: 9 }] }, 'a.1')).toEqual(keys([null], [int(9)]));
  });

  it('reject parallel arrays with 171', () => {
    const raw = encodeDocument(BsonDoc.of({ a: [1], b: [2] }));
    const act = (): unknown =>
      indexKeys(raw, [
        { path: 'a', direction: 1 },
        { path: 'b', direction: 1 },
      ]);
    expect(act).toThrow(MongoError);
    expect(act).toThrow('cannot index parallel arrays [b] [a]');
  });

  it('are absent from a sparse index for documents without its fields', () => {
    const raw = encodeDocument(BsonDoc.of({ c: 1 }));
    const fields = [
      { path: 'a', direction: 1 as const },
      { path: 'b.x', direction: 1 as const },
    ];
    expect(indexKeys(raw, fields, { sparse: true }).keys).toEqual([]);
    expect(indexKeys(encodeDocument(BsonDoc.of({ a: null })), fields, { sparse: true }).keys).toHaveLength(1);
  });

  it('sort by the least element upwards and the greatest downwards', () => {
    const raw = encodeDocument(BsonDoc.of({ a: [2, 9, 4] }));
    expect(compileSortKey([{ path: 'a', direction: 1 }])(raw)).toEqual(encodeKey([int(2)], [1]));
    expect(compileSortKey([{ path: 'a', direction: -1 }])(raw)).toEqual(encodeKey([int(9)], [-1]));
  });

  it('are equal for a stored id and its value', () => {
    const raw = encodeDocument(BsonDoc.of({ _id: 'x' }));
    expect(rawId(raw)?.bytes().length).toBe(6);
    expect(decodeDocument(raw).get('_id')).toBe('x');
  });
});

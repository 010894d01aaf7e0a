import { describe, expect, it } from '@jest/globals';
import { Decimal128, Double, Int32 } from 'bson';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc, type BsonValue, toBson } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileMatcher } from '../../match/matcher.js';
import { compileUpdate, upsertBase } from '../../update/updater.js';
import { render } from './render.js';

type Literal = Record<string, unknown>;

interface Extra {
  readonly arrayFilters?: Literal[];
  readonly position?: number;
  readonly upsert?: boolean;
}

function run(doc: Literal, update: Literal | Literal[], extra: Extra = {}): { text: string; changed: boolean } {
  const spec = toBson(update) as BsonDoc | BsonValue[];
  const arrayFilters = (extra.arrayFilters ?? []).map(toBson);
  const updater = compileUpdate(spec, arrayFilters.length > 0 ? { arrayFilters } : {});
  const context = {
    isUpsertInsert: extra.upsert ?? false,
    matchedArrayIndex: extra.position ?? -1,
    nowMs: 1_700_000_000_000,
  };
  const { raw, changed } = updater.apply(encodeDocument(BsonDoc.of(doc)), context);
  return { text: render(decodeDocument(raw)), changed };
}

function codeOf(act: () => unknown): number | string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? error.code : String(error);
  }
}

type Case = readonly [doc: Literal, update: Literal, result: string, extra?: Extra];

// Rows are taken by rest parameters: with fewer values than parameters the runner would pass its `done` callback.
function check(name: string, cases: readonly Case[]): void {
  it.each(cases)(`${name}: %j %j`, (...[doc, update, result, extra]) => {
    expect(run(doc, update, extra).text).toBe(result);
  });
}

function refuse(name: string, cases: readonly (readonly [Literal, Literal, number, Extra?])[]): void {
  it.each(cases)(`${name}: %j %j`, (...[doc, update, code, extra]) => {
    expect(codeOf(() => run(doc, update, extra))).toBe(code);
  });
}

describe('single values', () => {
  check('$set makes what is missing, new fields in path order', [
    [{ a: 1 }, { $set: { c: 1, b: 2 } }, '{a: 1, b: 2, c: 1}'],
    [{ a: 1 }, { $set: { 'x.y.z': 1, 'x.y.a': 2 } }, '{a: 1, x: {y: {a: 2, z: 1}}}'],
    [{ a: [1] }, { $set: { 'a.3': 9 } }, '{a: [1, null, null, 9]}'],
    [{ a: [{ b: 1 }] }, { $set: { 'a.0.b': 'x' } }, '{a: [{b: "x"}]}'],
    [{ a: 1, b: 2, c: 3 }, { $set: { b: new Double(2) } }, '{a: 1, b: 2d, c: 3}'],
    [{}, { $set: { 10: 1, 9: 2 } }, '{9: 2, 10: 1}'],
  ]);
  check('$unset removes fields and blanks elements', [
    [{ a: 1, b: { c: 1, d: 2 } }, { $unset: { a: '', 'b.c': '', 'x.y': '' } }, '{b: {d: 2}}'],
    [{ a: [1, 2, 3] }, { $unset: { 'a.1': '' } }, '{a: [1, null, 3]}'],
  ]);
  check('$inc and $mul keep and widen types', [
    [{ a: 1 }, { $inc: { a: 2, b: 5n } }, '{a: 3, b: 5L}'],
    [{ a: 2147483647 }, { $inc: { a: 1 } }, '{a: 2147483648L}'],
    [{ a: 1n }, { $inc: { a: 1 } }, '{a: 2L}'],
    [{ a: 1 }, { $inc: { a: 0.5 } }, '{a: 1.5d}'],
    [{ a: Decimal128.fromString('0.1') }, { $inc: { a: Decimal128.fromString('0.2') } }, '{a: 0.3m}'],
    [{ a: 0.1 }, { $inc: { a: Decimal128.fromString('0.2') } }, '{a: 0.3m}'],
    [{ a: 9007199254740993n }, { $inc: { a: 1 } }, '{a: 9007199254740994L}'],
    [{ a: 3 }, { $mul: { a: 4n, b: 2, c: 5n } }, '{a: 12L, b: 0, c: 0L}'],
    [{ a: 65536 }, { $mul: { a: 65536 } }, '{a: 4294967296L}'],
  ]);
  check('$min, $max, $bit, $currentDate, $rename, $setOnInsert', [
    [{ a: 5 }, { $min: { a: 3n }, $max: { b: 1 } }, '{a: 3L, b: 1}'],
    [{ a: 5 }, { $max: { a: 5n } }, '{a: 5}'],
    [{ a: 13 }, { $bit: { a: { and: 10 } } }, '{a: 8}'],
    [{ a: 1 }, { $bit: { a: { or: 4n } } }, '{a: 5L}'],
    [{}, { $currentDate: { a: true } }, '{a: date 1700000000000}'],
    [{ a: { b: 1 }, c: 2 }, { $rename: { 'a.b': 'd.e', c: 'f' } }, '{a: {}, d: {e: 1}, f: 2}'],
    [{ a: 1, b: 2 }, { $rename: { a: 'b' } }, '{b: 1}'],
    [{ a: 1 }, { $setOnInsert: { b: 2, 'c.d': 1 } }, '{a: 1}'],
    [{ a: 1 }, { $setOnInsert: { b: 2 } }, '{a: 1, b: 2}', { upsert: true }],
  ]);
});

describe('arrays', () => {
  check('$push with its clauses', [
    [{}, { $push: { a: 1 } }, '{a: [1]}'],
    [{ a: [1] }, { $push: { a: [2] } }, '{a: [1, [2]]}'],
    [{ a: [1] }, { $push: { a: { $each: [2, 3], $position: 0 } } }, '{a: [2, 3, 1]}'],
    [{ a: [1, 2] }, { $push: { a: { $each: [9], $position: -1 } } }, '{a: [1, 9, 2]}'],
    [{ a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1, $slice: 2 } } }, '{a: [1, 2]}'],
    [{ a: [3, 1] }, { $push: { a: { $each: [2], $sort: -1, $slice: -2 } } }, '{a: [2, 1]}'],
    [
      { a: [{ x: 2, y: 1 }] },
      { $push: { a: { $each: [{ x: 1n }, { x: 2, y: 0 }], $sort: { x: 1, y: -1 } } } },
      '{a: [{x: 1L}, {x: 2, y: 1}, {x: 2, y: 0}]}',
    ],
  ]);
  check('$addToSet, $pull, $pullAll, $pop', [
    [
      { a: [1, { x: 1, y: 2 }] },
      { $addToSet: { a: { $each: [1n, { y: 2, x: 1 }, 5] } } },
      '{a: [1, {x: 1, y: 2}, {y: 2, x: 1}, 5]}',
    ],
    [{}, { $addToSet: { a: [1] } }, '{a: [[1]]}'],
    [{ a: [1, 5n, 7.5, 'x'] }, { $pull: { a: { $gte: 5 } } }, '{a: [1, "x"]}'],
    [{ a: [{ b: 1, c: 2 }, { b: 2 }, 1] }, { $pull: { a: { b: 1 } } }, '{a: [{b: 2}, 1]}'],
    [{ a: [[1, 2], 1] }, { $pull: { a: 1 } }, '{a: [[1, 2]]}'],
    [{ a: ['ab', 'b'] }, { $pull: { a: /^a/ } }, '{a: ["b"]}'],
    [{ a: [1, [1, 9], [5], [[1]], 3] }, { $pull: { a: { $lte: 2 } } }, '{a: [[5], [[1]], 3]}'],
    [{ a: [[1], [], [2, 3]] }, { $pull: { a: { $size: 2 } } }, '{a: [[1], []]}'],
    [{ a: [{ r: [1, 2] }, { r: [3] }] }, { $pull: { a: { r: { $elemMatch: { $gt: 2 } } } } }, '{a: [{r: [1, 2]}]}'],
    [{ a: [1, 2, 1n] }, { $pullAll: { a: [1] } }, '{a: [2]}'],
    [{ a: [1, 2, 3] }, { $pop: { a: -1 } }, '{a: [2, 3]}'],
    [{ a: [] }, { $pop: { a: 1, b: 1 } }, '{a: []}'],
  ]);
  check('positions: $, $[], $[id]', [
    [{ a: [1, 2, 3] }, { $set: { 'a.$': 9 } }, '{a: [1, 9, 3]}', { position: 1 }],
    [{ a: [{ b: 1 }, { b: 2 }] }, { $inc: { 'a.$.b': 5 } }, '{a: [{b: 1}, {b: 7}]}', { position: 1 }],
    [{ a: [1, 2] }, { $mul: { 'a.$[]': 10 } }, '{a: [10, 20]}'],
    [{ a: [{ b: [1, 2] }, { b: [3] }] }, { $inc: { 'a.$[].b.$[]': 1 } }, '{a: [{b: [2, 3]}, {b: [4]}]}'],
    [{ a: [1, 5, 9] }, { $set: { 'a.$[big]': 0 } }, '{a: [1, 0, 0]}', { arrayFilters: [{ big: { $gt: 4 } }] }],
    [
      {
        a: [
          { g: 1, v: 1 },
          { g: 2, v: 1 },
        ],
      },
      { $inc: { 'a.$[e].v': 1 } },
      '{a: [{g: 1, v: 1}, {g: 2, v: 2}]}',
      { arrayFilters: [{ $or: [{ 'e.g': 2 }, { 'e.g': 3 }] }] },
    ],
    [{ a: [{ b: 1 }] }, { $unset: { 'a.$[].b': '' } }, '{a: [{}]}'],
  ]);
});

describe('whole documents', () => {
  check('replacement keeps the id and its place', [
    [{ _id: 1, a: 1 }, { b: 2 }, '{_id: 1, b: 2}'],
    [{ _id: 1, a: 1 }, { b: 2, _id: 1 }, '{_id: 1, b: 2}'],
    [{}, { b: 2, _id: 7 }, '{_id: 7, b: 2}', { upsert: true }],
  ]);

  it('report whether any byte changed', () => {
    expect(run({ a: 1 }, { $set: { a: 1 } }).changed).toBe(false);
    expect(run({ a: 1 }, { $set: { a: 1n } }).changed).toBe(true);
    expect(run({ _id: 1, a: [1] }, { $addToSet: { a: 1n } }).changed).toBe(false);
    expect(run({ _id: 1, a: 1 }, { a: 1 }).changed).toBe(false);
  });

  it('keep unchanged bytes', () => {
    const doc = BsonDoc.of({ _id: 1, pad: { deep: [1, { x: 'y' }] }, n: 1, tail: [Decimal128.fromString('1.00')] });
    const updater = compileUpdate(BsonDoc.of({ $inc: { n: 1 } }));
    const context = { isUpsertInsert: false, matchedArrayIndex: -1, nowMs: 0 };
    const expected = encodeDocument(doc.set('n', new Int32(2)));
    expect(updater.apply(encodeDocument(doc.set('n', new Int32(1))), context).raw).toEqual(expected);
  });
});

describe('refusals', () => {
  refuse('with the code of MongoDB', [
    [{ a: 5 }, { $set: { 'a.b': 1 } }, 28],
    [{ a: [1] }, { $set: { 'a.b': 1 } }, 28],
    [{ a: 'x' }, { $inc: { a: 1 } }, 14],
    [{ a: 1 }, { $inc: { a: 'x' } }, 14],
    [{ a: 9223372036854775807n }, { $inc: { a: 1 } }, 2],
    [{ a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    [{ a: 1 }, { $set: { a: 1, 'a.b': 1 } }, 40],
    [{ a: 1 }, { $set: { 'a.b': 1 }, $unset: { a: 1 } }, 40],
    [{ _id: 1 }, { $set: { _id: 2 } }, 66],
    [{ _id: 1 }, { $unset: { _id: 1 } }, 66],
    [{ _id: 1 }, { _id: 2 }, 66],
    [{ a: 1 }, { $foo: { a: 1 } }, 9],
    [{ a: 1 }, { $set: 5 }, 9],
    [{ a: 1 }, { $set: { a: 1 }, b: 1 }, 9],
    [{ a: 1 }, { b: 1, $set: { a: 1 } }, 52],
    [{ a: 1 }, { $set: { 'a..b': 1 } }, 56],
    [{ a: 1 }, { $push: { a: 1 } }, 2],
    [{ a: [1] }, { $push: { a: { $each: 5 } } }, 2],
    [{ a: [1] }, { $push: { a: { $each: [], $foo: 1 } } }, 2],
    [{ a: 1 }, { $pop: { a: 1 } }, 14],
    [{ a: [1] }, { $pop: { a: 2 } }, 9],
    [{ a: 1 }, { $pull: { a: 1 } }, 2],
    [{ a: [1] }, { $set: { 'a.$': 1 } }, 2],
    [{ a: 1 }, { $set: { 'a.$[]': 1 } }, 2],
    [{}, { $set: { 'a.$[]': 1 } }, 2],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, 2],
    [{ a: [1] }, { $set: { a: 1 } }, 9, { arrayFilters: [{ x: 1 }] }],
    [{ a: [1] }, { $set: { 'a.$[x]': 1 } }, 9, { arrayFilters: [{ x: 1 }, { x: 2 }] }],
    [{ a: [1] }, { $rename: { 'a.0': 'b' } }, 2],
    [{ a: [1] }, { $set: { 'a.2000000': 1 } }, 34],
    [{ a: 1 }, { $set: { $b: 1 } }, 52],
  ]);
});

it('changes a field below the top level with a name that begins with a dollar', () => {
  expect(run({ a: { $b: 1 } }, { $inc: { 'a.$b': 1 }, $set: { 'a.$c': 2 } }).text).toBe('{a: {$b: 2, $c: 2}}');
});

it('rejects an update that nests deeper than 200 levels', () => {
  const deep = Array.from({ length: 150 }, () => 'a').join('.');
  expect(codeOf(() => run({}, { $set: { [deep]: 1 } }))).toBe('accepted');
  const nested = Array.from({ length: 100 }).reduce<Literal>((inner) => ({ a: inner }), {});
  expect(codeOf(() => run({ [deep.slice(0, 1)]: 1 }, { $set: { [`b.${deep}`]: nested } }))).toBe(15);
});

it('rejects a result above 16 MiB', () => {
  expect(codeOf(() => run({ a: 1 }, { $set: { a: 'x'.repeat(17_000_000) } }))).toBe(17_419);
});

describe('the document of an upsert', () => {
  const base = (filter: Literal, only?: '_id'): string =>
    render(upsertBase(compileMatcher(BsonDoc.of(filter)).root, only));

  it('contains the equalities of the filter, nested by their paths', () => {
    expect(base({ a: 1, 'b.c': 2, d: { $gt: 3 }, e: { $eq: 4 } })).toBe('{a: 1, b: {c: 2}, e: 4}');
    expect(base({ $and: [{ a: 1 }, { b: { $in: [2] } }], $or: [{ c: 3 }], d: { $all: [4] } })).toBe(
      '{a: 1, b: 2, c: 3, d: 4}',
    );
    expect(base({ $or: [{ a: 1 }, { b: 2 }], c: { $in: [1, 2] }, d: { $ne: 1 } })).toBe('{}');
  });

  it('contains only the id for a replacement', () => {
    expect(base({ _id: 5, a: 1 }, '_id')).toBe('{_id: 5}');
  });

  it('rejects a field fixed twice', () => {
    expect(codeOf(() => base({ $and: [{ a: 1 }, { a: 2 }] }))).toBe(54);
  });
});

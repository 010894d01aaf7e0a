import { describe, expect, it } from '@jest/globals';
import { decodeDocument } from '../../bson/decode.js';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import { MongoError } from '../../errors.js';
import { compileProjection } from '../../project/projection.js';
import { render } from './render.js';

type Literal = Record<string, unknown>;

function project(spec: Literal, doc: Literal, arrayIndex = -1): string {
  const projection = compileProjection(BsonDoc.of(spec));
  return render(decodeDocument(projection.apply(encodeDocument(BsonDoc.of(doc)), { arrayIndex })));
}

function codeOf(act: () => unknown): number | string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return error instanceof MongoError ? error.code : String(error);
  }
}

const DOC = { _id: 1, z: 1, a: { b: 1, c: 2 }, list: [{ x: 1, y: 1 }, 5, { x: 2, y: 2 }, [{ x: 3 }]], n: [1, 2, 3, 4] };

describe('projection', () => {
  it.each<[Literal, string]>([
    [{}, render(BsonDoc.of(DOC))],
    [{ n: 1, z: 1 }, '{_id: 1, z: 1, n: [1, 2, 3, 4]}'],
    [{ z: 1, _id: 0 }, '{z: 1}'],
    [{ _id: 1 }, '{_id: 1}'],
    [{ 'a.c': 1 }, '{_id: 1, a: {c: 2}}'],
    [{ a: { c: 1 } }, '{_id: 1, a: {c: 2}}'],
    [{ 'list.x': 1 }, '{_id: 1, list: [{x: 1}, {x: 2}, [{x: 3}]]}'],
    [{ 'z.q': 1 }, '{_id: 1}'],
    [{ list: 0, n: 0, a: 0 }, '{_id: 1, z: 1}'],
    [{ _id: 0, list: 0, n: 0, 'a.b': 0 }, '{z: 1, a: {c: 2}}'],
    [{ 'list.x': 0, n: 0, a: 0 }, '{_id: 1, z: 1, list: [{y: 1}, 5, {y: 2}, [{}]]}'],
    [{ n: { $slice: 2 }, list: 0, a: 0 }, '{_id: 1, z: 1, n: [1, 2]}'],
    [{ n: { $slice: -2 }, z: 1 }, '{_id: 1, z: 1, n: [3, 4]}'],
    [{ n: { $slice: [1, 2] }, _id: 0, z: 1 }, '{z: 1, n: [2, 3]}'],
    [{ n: { $slice: [-3, 2] }, _id: 0, z: 1 }, '{z: 1, n: [2, 3]}'],
    [{ list: { $elemMatch: { x: 2 } }, z: 1 }, '{_id: 1, z: 1, list: [{x: 2, y: 2}]}'],
    [{ n: { $elemMatch: { $gt: 2 } } }, '{_id: 1, n: [3]}'],
    [{ n: { $elemMatch: { $gt: 9 } } }, '{_id: 1}'],
    [{ z: '$a.b', sum: { $add: ['$z', 1] } }, '{_id: 1, z: 1, sum: 2}'],
    [{ 'a.d': { $literal: 5 } }, '{_id: 1, a: {d: 5}}'],
    [{ missing: '$nothing' }, '{_id: 1}'],
  ])('%j', (spec, expected) => {
    expect(project(spec, DOC)).toBe(expected);
  });

  it('returns the element that the query matched for the positional operator', () => {
    expect(project({ 'n.$': 1 }, DOC, 2)).toBe('{_id: 1, n: [3]}');
    expect(codeOf(() => project({ 'n.$': 1 }, DOC))).toBe(51_246);
  });

  it.each<[Literal, number]>([
    [{ a: 1, b: 0 }, 31_254],
    [{ a: 0, b: 1 }, 31_253],
    [{ a: 1, 'a.b': 1 }, 31_249],
    [{ 'a.b': 1, a: 1 }, 31_250],
    [{ 'a.': 1 }, 40_353],
    [{ a: {} }, 51_270],
    [{ a: { $foo: 1 } }, 31_325],
    [{ $a: 1 }, 16_410],
    [{ a: '$$nothing' }, 17_276],
    [{ a: { $meta: 'textScore' } }, 2],
  ])('rejects %j', (spec, code) => {
    expect(codeOf(() => project(spec, DOC))).toBe(code);
  });
});

import { describe, expect, it } from '@jest/globals';
import { isWholeSet, recordsInForce, setState } from '../../../shared/facts/set-state.js';

const A = { id: 'a', scope: ['x'] };
const B = { id: 'b', scope: [] };

describe('setState', () => {
  it('states the same count and root in any order', () => {
    expect(setState([B, A])).toEqual(setState([A, B]));
    expect(setState([A, B])).toMatchObject({ count: 2, in_force: [A, B], changed: null });
    expect(setState([A]).root).not.toBe(setState([B]).root);
    expect(setState([A, A]).root).not.toBe(setState([A]).root);
  });

  it('throws CONFLICT for a set that does not fit into one entry', () => {
    const large = { values: Array.from({ length: 15_001 }, (_, i) => i) };
    expect(() => setState([large])).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });
});

describe('isWholeSet', () => {
  const fact = { state: setState([A, B], B) };

  it('accepts exactly the records that the fact states', () => {
    expect(recordsInForce(fact)).toEqual([A, B]);
    expect(isWholeSet([B, A], fact)).toBe(true);
    expect(isWholeSet([], null)).toBe(true);
  });

  it.each([
    ['a record is missing', [A]],
    ['a record is added', [A, B, { id: 'c' }]],
    ['a record is listed twice', [A, A, B]],
    ['a record differs', [A, { ...B, scope: ['y'] }]],
    ['none is left', []],
  ])('rejects the records when %s', (_, records) => {
    expect(isWholeSet(records, fact)).toBe(false);
  });

  it('rejects records without a fact', () => {
    expect(isWholeSet([A], null)).toBe(false);
  });
});

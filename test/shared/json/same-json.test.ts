import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { sameJson } from '../../../shared/json/same-json.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

const VALUES: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  '1',
  '',
  [],
  {},
  [null],
  [1, 2],
  [2, 1],
  { a: null },
  { a: 1 },
  { b: null },
  { a: 1, b: [2, { c: 3 }] },
  { b: [2, { c: 3 }], a: 1 },
  { b: [2, { c: 4 }], a: 1 },
  { toString: 1 },
];

describe('sameJson', () => {
  it('says of any two values what their canonical texts say', () => {
    for (const a of VALUES) {
      for (const b of VALUES) {
        const expected = canonicalJson(a) === canonicalJson(b);
        expect({ a, b, same: sameJson(a, b) }).toEqual({ a, b, same: expected });
      }
    }
  });
});

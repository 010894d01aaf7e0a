import { describe, expect, test } from '@jest/globals';
import { serialize } from 'bson';
import { decodeRecord } from '../../../shared/worm/record-document.js';

const HASH = 'a1'.repeat(32);

describe('a record read off its BSON', () => {
  test.each([0, 1, 4096])('is what was written, at %d bytes', (size) => {
    const bytes = Buffer.alloc(size, 7);
    expect(decodeRecord(serialize({ _id: HASH, bytes }))).toEqual({ _id: HASH, bytes });
  });

  test('in another layout is read all the same, or refused', () => {
    const bytes = Buffer.from('content');
    expect(decodeRecord(serialize({ bytes, _id: HASH }))).toEqual({ _id: HASH, bytes });
    expect(decodeRecord(serialize({ _id: HASH, bytes, more: 1 }))).toEqual({ _id: HASH, bytes });
    expect(() => decodeRecord(serialize({ _id: HASH }))).toThrow('foreign document');
    expect(() => decodeRecord(serialize({ _id: 7, bytes }))).toThrow('foreign document');
  });
});

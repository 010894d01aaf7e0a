import { describe, expect, it } from '@jest/globals';
import { serialize } from 'bson';
import { decodeRecord } from '../../../../shared/worm/records/document.js';

const HASH = 'a1'.repeat(32);

describe('a record parsed from its BSON', () => {
  it.each([0, 1, 4096])('equals the written record, at %d bytes', (size) => {
    const bytes = Buffer.alloc(size, 7);
    expect(decodeRecord(serialize({ _id: HASH, bytes }))).toEqual({ _id: HASH, bytes });
  });

  it.each([0, 1, 4096])('equals the written record with its seed, at %d bytes', (size) => {
    const [bytes, seed] = [Buffer.alloc(size, 7), Buffer.alloc(32, 9)];
    expect(decodeRecord(serialize({ _id: HASH, bytes, seed }))).toEqual({ _id: HASH, bytes, seed });
    expect(decodeRecord(serialize({ _id: HASH, seed, bytes }))).toEqual({ _id: HASH, bytes, seed });
  });

  it('keeps a seed of another length, and an empty one for a value of another type', () => {
    const bytes = Buffer.from('content');
    for (const seed of [Buffer.alloc(31), Buffer.alloc(33)]) {
      expect(decodeRecord(serialize({ _id: HASH, bytes, seed }))).toEqual({ _id: HASH, bytes, seed });
    }
    for (const seed of ['seed'.repeat(8), null, true, 7]) {
      expect(decodeRecord(serialize({ _id: HASH, bytes, seed }))).toEqual({ _id: HASH, bytes, seed: Buffer.alloc(0) });
    }
  });

  it('in another layout is read correctly', () => {
    const bytes = Buffer.from('content');
    expect(decodeRecord(serialize({ bytes, _id: HASH }))).toEqual({ _id: HASH, bytes });
    expect(decodeRecord(serialize({ _id: HASH, bytes, more: 1 }))).toEqual({ _id: HASH, bytes });
  });

  it('without a field of its type has no bytes or no name, which match no hash', () => {
    const bytes = Buffer.from('content');
    const empty = Buffer.alloc(0);
    expect(decodeRecord(serialize({ _id: HASH }))).toEqual({ _id: HASH, bytes: empty });
    expect(decodeRecord(serialize({ _id: HASH, bytes: 'content' }))).toEqual({ _id: HASH, bytes: empty });
    expect(decodeRecord(serialize({ _id: 7, bytes }))).toEqual({ _id: '', bytes });
  });
});

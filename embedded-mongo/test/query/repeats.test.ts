import { describe, expect, it } from '@jest/globals';
import { IndexScan } from '../../exec/index-scan.js';
import { MAX_REPEATS, UnionScan } from '../../exec/scans.js';
import { entryKey } from '../../store/keys.js';

const INDEX_ID = 7;
const RUNS_OF_REPEATS = 10;

/** A multikey index with one document under very many keys. */
function scanOfOneDocument(entries: number): IndexScan {
  const keys = Array.from({ length: entries }, (_, n) => entryKey(INDEX_ID, Buffer.from(`k${n}`), 1));
  const range = { lower: Buffer.from('k'), upper: Buffer.from('l'), point: false };
  return new IndexScan(
    { peek: () => Buffer.alloc(5) } as never,
    { getKeys: () => keys } as never,
    { id: 1 } as never,
    { id: INDEX_ID, multikey: true, unique: false } as never,
    [range],
    1,
  );
}

/** What a reader meets: documents, and the stops at which it may look at the clock. */
function walked(scan: IndexScan | UnionScan): { documents: number; stops: number } {
  const met = { documents: 0, stops: 0 };
  while (scan.next()) {
    if (scan.repeated) met.stops += 1;
    else met.documents += 1;
  }
  return met;
}

describe('a scan that meets a document repeatedly', () => {
  it('returns it once and pauses after every run of repeats', () => {
    const scan = scanOfOneDocument(1 + MAX_REPEATS * RUNS_OF_REPEATS);
    expect(walked(scan)).toEqual({ documents: 1, stops: RUNS_OF_REPEATS });
    expect(scan.keysExamined).toBe(1 + MAX_REPEATS * RUNS_OF_REPEATS);
  });

  it('does the same in a union of branches', () => {
    const branches = Array.from({ length: 2 }, () => scanOfOneDocument(1 + MAX_REPEATS));
    expect(walked(new UnionScan(branches))).toEqual({ documents: 1, stops: 2 });
  });
});

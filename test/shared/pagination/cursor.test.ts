import { describe, expect, it } from '@jest/globals';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { decodeCursor, encodeCursor, pageOf } from '../../../shared/pagination/cursor.js';

describe('a cursor', () => {
  it('leads back to its place', () => {
    for (const place of [
      { atMs: 0, id: '' },
      { atMs: -1, id: 'evt_1' },
      { atMs: 8.64e15, id: 'with "quotes", é and 😀' },
    ]) {
      const text = encodeCursor(place);
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(text)).toEqual(place);
    }
  });

  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each([
    '',
    'x',
    '!!!!',
    'null',
    encoded(null),
    encoded({}),
    encoded([1, 2]),
    encoded([2, 5, 'a']),
    encoded([1, '5', 'a']),
    encoded([1, 5.5, 'a']),
    encoded([1, 5, 5]),
    encoded([1, 5, 'a', 'b']),
    encoded([1, 8.64e15 + 2, 'a']),
    encoded([1, 5, { $gt: '' }]),
    Buffer.from('[1,1e400,"a"]').toString('base64url'),
  ])('is rejected if it was never issued: %s', (text) => {
    expect(() => decodeCursor(text)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: { errors: [expect.objectContaining({ path: '/cursor' })] },
      }),
    );
  });
});

describe('a page', () => {
  const rows = [1, 2, 3].map((n) => ({ at: n, id: `id-${n}` }));
  const place = (row: { at: number; id: string }) => ({ atMs: row.at, id: row.id });

  it('shows the limit and a cursor while there is more', () => {
    const page = pageOf(rows, 2, place);
    expect(page.items).toEqual(rows.slice(0, 2));
    expect(decodeCursor(page.next_cursor ?? '')).toEqual({ atMs: 2, id: 'id-2' });
  });

  it('ends without a cursor when there is no more', () => {
    expect(pageOf(rows, 3, place)).toEqual({ items: rows, next_cursor: null });
    expect(pageOf([], 3, place)).toEqual({ items: [], next_cursor: null });
  });

  it('is queried with one extra row, newest first, and begins after its cursor', () => {
    expect(keysetQuery('created_at', { limit: 10, order: 'desc' })).toEqual({
      filter: {},
      sort: { created_at: -1, _id: -1 },
      fetch: 11,
    });
    const cursor = encodeCursor({ atMs: 5, id: 'id-5' });
    const query = keysetQuery('created_at', { limit: 10, order: 'asc', cursor, fromMs: 1, toMs: 9 });
    expect(query.sort).toEqual({ created_at: 1, _id: 1 });
    expect(query.filter).toEqual({
      $and: [
        { created_at: { $gte: new Date(1) } },
        { created_at: { $lt: new Date(9) } },
        { $or: [{ created_at: { $gt: new Date(5) } }, { created_at: new Date(5), _id: { $gt: 'id-5' } }] },
      ],
    });
    const back = keysetQuery('created_at', { limit: 10, order: 'desc', cursor });
    expect(back.filter).toEqual({
      $and: [{ $or: [{ created_at: { $lt: new Date(5) } }, { created_at: new Date(5), _id: { $lt: 'id-5' } }] }],
    });
  });
});

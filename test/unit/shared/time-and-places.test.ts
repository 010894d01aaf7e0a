import { describe, expect, test } from '@jest/globals';
import { isoTime } from '../../../shared/clock/clock.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { ID_PREFIXES, isIdOf, isUlid, systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem, isTenantId, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import { decodeCursor, encodeCursor, pageOf } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { seededRandomness } from '../../support/fakes.js';
import { seeded } from '../../support/random.js';

const SEED = 20260302;

describe('a time', () => {
  test.each([
    ['2026-03-02T14:11:09.123Z', '2026-03-02T14:11:09.123Z'],
    ['2026-03-02t14:11:09z', '2026-03-02T14:11:09.000Z'],
    ['2026-03-02T14:11:09.1Z', '2026-03-02T14:11:09.100Z'],
    ['2026-03-02T14:11:09.123999999Z', '2026-03-02T14:11:09.123Z'],
    ['2026-03-02T14:11:09+05:30', '2026-03-02T08:41:09.000Z'],
    ['2026-03-02T23:30:00-01:00', '2026-03-03T00:30:00.000Z'],
    ['2026-03-02T14:11:09-00:00', '2026-03-02T14:11:09.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-03-02T14:11:09+23:59', '2026-03-01T14:12:09.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(isoTime(instantOf(text) ?? Number.NaN)).toBe(iso);
  });

  test.each([
    '2026-03-02T14:11:09',
    '2026-03-02',
    '2026-03-02 14:11:09Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-1-1T00:00:00Z',
    '+002026-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '٢٠٢٦-01-01T00:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '',
  ])('%j is none', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });

  test('agrees with the engine wherever both read the text, 5,000 random ones', () => {
    const random = seeded(SEED);
    const two = (below: number): string => String(Math.floor(random() * below)).padStart(2, '0');
    const wrong: string[] = [];
    let read = 0;
    for (let i = 0; i < 5_000; i++) {
      const zone = random() < 0.5 ? 'Z' : `${random() < 0.5 ? '+' : '-'}${two(24)}:${two(60)}`;
      const text = `${1900 + Math.floor(random() * 300)}-${two(14)}-${two(33)}T${two(24)}:${two(60)}:${two(60)}.${two(100)}${zone}`;
      const ours = instantOf(text);
      if (ours !== undefined) read++;
      const theirs = Date.parse(text);
      // The engine rolls a 30th of February over into March; we refuse it.
      if (ours !== undefined ? ours !== theirs : !Number.isNaN(theirs) && isReal(text)) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(2_000);
  });
});

const isReal = (text: string): boolean =>
  new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));

describe('an identifier', () => {
  test('is its prefix and a ULID that sorts by time', () => {
    let now = Date.parse('2026-03-02T14:11:10.004Z');
    const ids = ulidIds(() => now, seededRandomness(SEED));
    const made: string[] = [];
    for (let i = 0; i < 1_000; i++) {
      made.push(ids.next('event'));
      if (i % 7 === 0) now += 1;
    }
    expect(made.every((id) => isIdOf('event', id))).toBe(true);
    expect(new Set(made).size).toBe(1_000);
    expect([...made].sort()).toEqual(made);
  });

  test('goes on ascending when the clock is set back', () => {
    let now = 1_000_000;
    const ids = ulidIds(() => now, seededRandomness(SEED));
    const before = ids.next('key');
    now = 1;
    expect(ids.next('key') > before).toBe(true);
  });

  test('carries within a millisecond', () => {
    const ids = ulidIds(() => 5, {
      fill: (target) => {
        target.fill(31);
        target[0] = 0;
        return target;
      },
    });
    expect(ids.next('key')).toBe('key_00000000050ZZZZZZZZZZZZZZZ');
    expect(ids.next('key')).toBe('key_00000000051000000000000000');
  });

  test('holds the time as the ULID specification writes it', () => {
    const ids = ulidIds(() => 1469918176385, seededRandomness(SEED));
    expect(ids.next('event').slice(4, 14)).toBe('01ARYZ6S41');
  });

  test.each([
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', true],
    ['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', true],
    ['8ZZZZZZZZZZZZZZZZZZZZZZZZZ', false],
    ['01ARZ3NDEKTSV4RRFFQ69G5FA', false],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAVV', false],
    ['01arz3ndektsv4rrffq69g5fav', false],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAI', false],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAU', false],
  ])('%s is a ULID: %s', (text, is) => {
    expect(isUlid(text)).toBe(is);
  });

  test('of one kind is not one of another', () => {
    expect(isIdOf('key', 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(false);
    expect(isIdOf('key', 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(true);
    expect(isIdOf('key', '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(false);
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(Object.keys(ID_PREFIXES).length);
  });

  test('is made of randomness that fills what it is given, at any size', () => {
    const randomness = systemRandomness();
    for (const size of [0, 1, 16, 1_024, 1_025, 20_000]) {
      const bytes = randomness.fill(new Uint8Array(size));
      expect(bytes).toHaveLength(size);
      if (size >= 1_024) expect(new Set(bytes).size).toBeGreaterThan(200);
    }
    const drawn = new Set<string>();
    for (let i = 0; i < 3_000; i++) drawn.add(Buffer.from(randomness.fill(new Uint8Array(16))).toString('hex'));
    expect(drawn.size).toBe(3_000);
  });
});

describe('a tenant identifier', () => {
  test.each(['acme', 'A', '0', 'a.b-c_d', `a${'x'.repeat(63)}`])('%s is one', (text) => {
    expect(isTenantId(text)).toBe(true);
  });

  test.each(['', '_operator', '*', '.a', '-a', 'a b', 'a/b', 'é', 'a\n', `a${'x'.repeat(64)}`])(
    '%j is none',
    (text) => {
      expect(isTenantId(text)).toBe(false);
    },
  );

  test('of the operator is none that a caller could name', () => {
    expect(isTenantId(OPERATOR_TENANT)).toBe(false);
  });

  test.each([
    ['_custody', true],
    ['_', true],
    ['ai-provenance', true],
    ['ai-provenance2', false],
    ['um_core', false],
  ])('source system %s is reserved: %s', (name, is) => {
    expect(isReservedSourceSystem(name)).toBe(is);
  });
});

describe('a cursor', () => {
  test('leads back to its place', () => {
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

  test.each([
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
  ])('%s is refused as one that was never given out', (text) => {
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

  test('shows the limit and leads on while there is more', () => {
    const page = pageOf(rows, 2, place);
    expect(page.items).toEqual(rows.slice(0, 2));
    expect(decodeCursor(page.next_cursor ?? '')).toEqual({ atMs: 2, id: 'id-2' });
  });

  test('ends without a cursor when there is no more', () => {
    expect(pageOf(rows, 3, place)).toEqual({ items: rows, next_cursor: null });
    expect(pageOf([], 3, place)).toEqual({ items: [], next_cursor: null });
  });

  test('is asked for with one row more, newest first, and begins after its cursor', () => {
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

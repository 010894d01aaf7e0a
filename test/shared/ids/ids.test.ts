import { describe, expect, it } from '@jest/globals';
import { ID_PREFIXES, isIdOf, isUlid, systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import { seededRandomness } from '../../support/fakes.js';

const SEED = 20260302;

describe('an identifier', () => {
  it('is its prefix and a ULID that sorts by time', () => {
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

  it('continues to ascend when the clock is set back', () => {
    let now = 1_000_000;
    const ids = ulidIds(() => now, seededRandomness(SEED));
    const before = ids.next('key');
    now = 1;
    expect(ids.next('key') > before).toBe(true);
  });

  it('carries over within a millisecond', () => {
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

  it('contains the time as the ULID specification encodes it', () => {
    const ids = ulidIds(() => 1469918176385, seededRandomness(SEED));
    expect(ids.next('event').slice(4, 14)).toBe('01ARYZ6S41');
  });

  it.each([
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

  it('of one kind is invalid as another kind', () => {
    expect(isIdOf('key', 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(false);
    expect(isIdOf('key', 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(true);
    expect(isIdOf('key', '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(false);
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(Object.keys(ID_PREFIXES).length);
  });

  it('has randomness that fills a buffer of any size', () => {
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

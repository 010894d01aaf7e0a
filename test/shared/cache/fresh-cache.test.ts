import { beforeEach, describe, expect, it } from '@jest/globals';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import { ManualClock } from '../../support/fakes.js';

describe('a cache with a maximum age', () => {
  const clock = new ManualClock();
  let loads: string[];
  let answers: Map<string, number>;
  let cache: FreshCache<number>;

  beforeEach(() => {
    loads = [];
    answers = new Map([['a', 1]]);
    cache = new FreshCache({
      clock,
      maxAgeMs: 100,
      absentMaxAgeMs: 10,
      maxEntries: 3,
      load: async (key) => {
        loads.push(key);
        return answers.get(key);
      },
    });
  });

  it('answers from memory, and loads again when an entry is too old', async () => {
    expect(await cache.get('a')).toBe(1);
    answers.set('a', 2);
    clock.advance(99);
    expect(cache.get('a')).toBe(1);
    clock.advance(1);
    expect(await cache.get('a')).toBe(2);
    expect(loads).toEqual(['a', 'a']);
  });

  it('counts the age from before the load began', async () => {
    const loading = cache.get('a');
    clock.advance(60);
    await loading;
    clock.advance(40);
    void cache.get('a');
    expect(loads).toEqual(['a', 'a']);
  });

  it('expires an absence sooner', async () => {
    expect(await cache.get('b')).toBeUndefined();
    clock.advance(9);
    expect(await cache.get('b')).toBeUndefined();
    expect(loads).toEqual(['b']);
    answers.set('b', 5);
    clock.advance(1);
    expect(await cache.get('b')).toBe(5);
    expect(cache.size).toEqual({ present: 1, absent: 0 });
  });

  it('keeps at most its size, and evicts the oldest', async () => {
    for (const key of ['a', 'b', 'c', 'd']) answers.set(key, 1);
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key);
    expect(cache.size).toEqual({ present: 3, absent: 0 });
    expect(cache.get('d')).toBe(1);
    await cache.get('a');
    expect(loads).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  it('keeps the entries in use when callers ask for absent keys', async () => {
    await cache.get('a');
    for (let i = 0; i < 50; i++) await cache.get(`none-${i}`);
    expect(cache.size).toEqual({ present: 1, absent: 3 });
    expect(cache.get('a')).toBe(1);
  });

  it('shares one load among all waiting callers, failure included', async () => {
    const failing = new FreshCache<number>({
      clock,
      maxAgeMs: 100,
      absentMaxAgeMs: 10,
      maxEntries: 3,
      load: async (key) => {
        loads.push(key);
        throw new Error('no server');
      },
    });
    const waiting = [failing.get('a'), failing.get('a')];
    for (const one of waiting) await expect(one).rejects.toThrow('no server');
    expect(loads).toEqual(['a']);
    await expect(failing.get('a')).rejects.toThrow('no server');
    expect(loads).toEqual(['a', 'a']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { GroupedCalls } from '../../../shared/clock/grouped-calls.js';
import { nextTurn } from '../../../shared/clock/timers.js';

describe('calls of one tick', () => {
  const recording = (refuse: (item: number) => boolean = () => false) => {
    const groups: [string, readonly number[]][] = [];
    const calls = new GroupedCalls<number, string>(async (key, items) => {
      groups.push([key, items]);
      if (items.some(refuse)) throw new Error('refused');
      return items.map((item) => `${key}${item}`);
    }, 3);
    return { groups, calls };
  };

  it('run grouped by key, in order, with a maximum group size', async () => {
    const { groups, calls } = recording();
    const asked = [1, 2, 3, 4].map((item) => calls.call('a', item));
    expect(await Promise.all([...asked, calls.call('b', 5)])).toEqual(['a1', 'a2', 'a3', 'a4', 'b5']);
    expect(groups).toEqual([
      ['a', [1, 2, 3]],
      ['a', [4]],
      ['b', [5]],
    ]);
  });

  it('do not wait for a running group, so a call may be made from within another', async () => {
    const inner: GroupedCalls<number, number> = new GroupedCalls(
      (key, items) => Promise.all(items.map((item) => (item === 0 ? 0 : inner.call(key, item - 1)))),
      1,
    );
    expect(await inner.call('a', 5)).toBe(0);
    await nextTurn();
  });

  it('fail only for the wrong ones', async () => {
    const { calls } = recording((item) => item === 2);
    const ended = await Promise.allSettled([1, 2, 3].map((item) => calls.call('a', item)));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

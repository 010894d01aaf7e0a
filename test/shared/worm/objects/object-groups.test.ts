import { describe, expect, it } from '@jest/globals';
import { ObjectGroups } from '../../../../shared/worm/objects/object-groups.js';

const MIB = 1_048_576;

interface Stored {
  readonly items: readonly string[];
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

/** Groups with stores that end when the test says so. */
function groupsByHand(gatherMs: number) {
  const stored: Stored[] = [];
  const groups = new ObjectGroups<string>(
    (items) => new Promise((finish, fail) => void stored.push({ items, finish, fail })),
    gatherMs,
  );
  return { groups, stored };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('groups of one segment', () => {
  it('are stored four at a time; later items form the next group', async () => {
    const { groups, stored } = groupsByHand(0);
    const added = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => groups.add(item, 10));
    await settled();
    expect(stored.map(({ items }) => items)).toEqual([['a'], ['b'], ['c'], ['d']]);
    stored[1]?.finish();
    await added[1];
    await settled();
    expect(stored[4]?.items).toEqual(['e', 'f', 'g']);
    for (const { finish } of stored) finish();
    await Promise.all(added);
    expect(groups.isIdle).toBe(true);
  });

  it('gather items for the configured time, unless they are large', async () => {
    const { groups, stored } = groupsByHand(1);
    const first = [groups.add('a', 10), groups.add('b', 10)];
    expect(stored).toEqual([]);
    while (stored.length === 0) await settled();
    expect(stored[0]?.items).toEqual(['a', 'b']);
    const { groups: slow, stored: early } = groupsByHand(1_000_000);
    const large = slow.add('large', 4 * MIB);
    expect(early.map(({ items }) => items)).toEqual([['large']]);
    for (const { finish } of [...stored, ...early]) finish();
    await Promise.all([...first, large]);
  });

  it('are cut at 4 MiB', async () => {
    const { groups, stored } = groupsByHand(0);
    const added = Array.from({ length: 4 }, (_, n) => groups.add(`slot ${n}`, 1));
    added.push(...Array.from({ length: 6 }, (_, n) => groups.add(`MiB ${n}`, MIB)));
    for (const { finish } of stored.slice(0, 4)) finish();
    await settled();
    await settled();
    expect(stored.slice(4).map(({ items }) => items.length)).toEqual([4, 2]);
    for (const { finish } of stored) finish();
    await Promise.all(added);
  });

  it('fail alone: the next group is stored', async () => {
    const { groups, stored } = groupsByHand(0);
    const failing = groups.add('a', 1);
    stored[0]?.fail(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    const next = groups.add('b', 1);
    stored[1]?.finish();
    await next;
  });
});

import { describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type GraphSnapshot, GraphSnapshots } from '../../../subgraphs/members-graph/graph/snapshots.js';
import type { MergeEntry } from '../../../subgraphs/members-graph/members/domain/merges.js';

const TENANT = 't-ground' as TenantId;

/** Another process rebuilds and merges; this one walks. */
class World {
  generation = 1;
  readonly log: MergeEntry[] = [];
  readonly read: number[] = [];
  readonly grounds = new GraphSnapshots({
    graph: { live: async () => this.generation },
    merges: () => ({
      naming: async () => [],
      after: async (number, limit) => {
        this.read.push(number);
        return this.log.slice(number, number + limit);
      },
      change: async () => {},
      requireShown: async () => {},
    }),
  });

  merge(source_id: string, target_id: string, action: MergeEntry['action'] = 'MERGE'): void {
    const number = this.log.length + 1;
    const by = { reason: null, by: 'key', actor_id: null, work_id: null };
    this.log.push({ number, merge_id: `mrg_${number}`, action, source_id, target_id, at: new Date(number), ...by });
  }

  walk(seen: GraphSnapshot[] = []): Promise<string> {
    return this.grounds.over(TENANT, async (ground) => {
      seen.push(ground);
      const person = ground.merges === null ? 'unknown' : (ground.merges.people.get('A') ?? ['A']).join();
      return `${ground.generation}: ${person}`;
    });
  }
}

describe('GraphSnapshots', () => {
  it('gives a walk the state at the time of its request', async () => {
    const world = new World();
    expect(await world.walk()).toBe('1: A');
    world.merge('A', 'B');
    expect(await world.walk()).toBe('1: B,A');
    world.generation = 2;
    world.merge('C', 'B');
    expect(await world.walk()).toBe('2: B,A,C');
    world.merge('A', 'B', 'UNMERGE');
    expect(await world.walk()).toBe('2: A');
  });

  it('reads a changed snapshot only, and the log from the last entry', async () => {
    const world = new World();
    for (let n = 0; n < 2_500; n++) world.merge(`S-${n}`, 'T');
    await world.walk();
    expect(world.read).toEqual([0, 1_000, 2_000]);
    const seen: GraphSnapshot[] = [];
    await world.walk(seen);
    expect([world.read.at(-1), seen.length]).toEqual([2_500, 1]);
    world.generation = 2;
    await world.walk(seen);
    expect(seen.map(({ generation }) => generation)).toEqual([1, 1, 2]);
  });

  it('ignores the failure of a walk on an old snapshot, and throws on the current one', async () => {
    const world = new World();
    await world.walk();
    const onGeneration = (wanted: number) =>
      world.grounds.over(TENANT, async ({ generation }) => {
        if (generation !== wanted) throw new Error('it was taken away');
        return generation;
      });
    world.generation = 2;
    expect(await onGeneration(2)).toBe(2);
    await expect(onGeneration(1)).rejects.toThrow('taken away');
  });

  it('lets each walk read its merges if there are too many to cache', async () => {
    const world = new World();
    for (let n = 0; n <= 5_000; n++) world.merge(`S-${n}`, 'T');
    expect(await world.walk()).toBe('1: unknown');
    const reads = world.read.length;
    expect(await world.walk()).toBe('1: unknown');
    expect(world.read).toHaveLength(reads);
  });
});

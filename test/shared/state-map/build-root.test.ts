import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../shared/crypto/hash.js';
import { MapRootBuilder } from '../../../shared/state-map/build-root.js';
import { EMPTY_SUBTREE } from '../../../shared/state-map/hashes.js';
import { updateMap } from '../../../shared/state-map/update.js';
import { leavesOfMap } from '../../../shared/state-map/walk.js';
import { seeded } from '../../support/random.js';
import { MemoryNodes } from './memory-nodes.js';

const keyOf = (n: number, shared: number): Buffer =>
  Buffer.concat([Buffer.alloc(shared, 0xa5), sha256(`key ${n}`)]).subarray(0, 32);

describe('a root built from sorted keys', () => {
  it.each([0, 1, 7, 28])('is that of the stored map, with %i shared bytes in the keys', async (shared) => {
    const random = seeded(7 + shared);
    for (let round = 0; round < 60; round++) {
      const size = Math.floor(random() * 50);
      const first = Math.floor(random() * 1e6);
      const entries = Array.from({ length: size }, (_, i) => ({
        key: keyOf(first + i, shared),
        value: sha256(`value ${first + i}`),
      })).sort((a, b) => a.key.compare(b.key));
      const builder = new MapRootBuilder();
      for (const { key, value } of entries) builder.add(key, value);
      const nodes = new MemoryNodes();
      const update = await updateMap(nodes, { from: null, version: 1 }, entries);
      expect(builder.root()).toEqual(size === 0 ? EMPTY_SUBTREE : update.root);
      nodes.keep(1, update);
      const walked = [];
      for await (const entry of leavesOfMap(nodes, { version: 1, root: update.root })) walked.push(entry);
      expect(walked).toEqual(entries);
    }
  });

  it('needs ascending keys', () => {
    const builder = new MapRootBuilder();
    builder.add(Buffer.alloc(32, 2), Buffer.alloc(32));
    expect(() => builder.add(Buffer.alloc(32, 2), Buffer.alloc(32))).toThrow(RangeError);
    expect(() => builder.add(Buffer.alloc(32, 1), Buffer.alloc(32))).toThrow(RangeError);
  });
});

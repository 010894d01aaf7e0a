import { describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { BlobGroups } from '../../../../shared/worm/blobs/groups.js';
import type { StoredBlobs } from '../../../../shared/worm/worm-store.js';

const answer = (contents: readonly Uint8Array[]): StoredBlobs => ({
  blobs: contents.map((bytes) => ({ sha256: sha256Hex(bytes), sizeBytes: bytes.length, created: true })),
  recorded: Promise.resolve(),
});

const contents = (count: number): Buffer[] => Array.from({ length: count }, (_, i) => Buffer.from(`content ${i}`));

describe('concurrent small contents', () => {
  it('are stored in few groups, and each has its own answer', async () => {
    const groups: number[] = [];
    const store = new BlobGroups(async (group) => {
      groups.push(group.length);
      await new Promise((resolve) => setImmediate(resolve));
      return answer(group);
    });
    const given = contents(100);
    const stored = await Promise.all(given.map((bytes) => store.put(bytes)));
    expect(stored.map(({ sha256 }) => sha256)).toEqual(given.map((bytes) => sha256Hex(bytes)));
    expect(groups.reduce((sum, size) => sum + size)).toBe(100);
    expect(groups.length).toBeLessThan(6);
    expect(Math.max(...groups)).toBeLessThanOrEqual(64);
  });

  it('fail alone: one bad content does not fail its group', async () => {
    const store = new BlobGroups(async (group) => {
      if (group.some((bytes) => Buffer.from(bytes).toString() === 'content 5')) throw new Error('being disposed of');
      return answer(group);
    });
    const settled = await Promise.allSettled(contents(20).map((bytes) => store.put(bytes)));
    expect(settled.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([5]);
  });

  it('are answered only after their record is stored', async () => {
    let record: () => void = () => undefined;
    const recorded = new Promise<void>((resolve) => {
      record = resolve;
    });
    const store = new BlobGroups(async (group) => ({ ...answer(group), recorded }));
    let answered = false;
    const put = store.put(Buffer.from('x')).then(() => {
      answered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    record();
    await put;
    expect(answered).toBe(true);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import { type ArchiveEntry, zipOf } from '../../../shared/zip/write-archive.js';
import { directoryRecord, endRecords } from '../../../shared/zip/written-records.js';
import { itUnless, lackOfCount } from '../../support/needs.js';
import { seeded } from '../../support/random.js';
import { yazlOf } from '../../support/yazl-archive.js';

// The archive writer must produce yazl's bytes: a rebuild of a bundle with yazl has the same hash.

/** Entries beyond 4 GiB take a minute of yazl's; run with `npm run test:long`. */
const GIGABYTES = Number(process.env['BUNDLE_ZIP64_GIGABYTES'] ?? 0);
const MIB = 1_048_576;

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts);
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

const streamed = (path: string, pieces: readonly Buffer[]): ArchiveEntry => ({
  path,
  size: pieces.reduce((sum, { length }) => sum + length, 0),
  async *content() {
    yield* pieces;
  },
});
const buffered = (path: string, content: Buffer): ArchiveEntry => ({ path, size: content.length, content });

describe('the ZIP of a bundle', () => {
  it.each(Array.from({ length: 40 }, (_, round) => round))(
    'equals the archive that yazl writes: draw %i',
    async (round) => {
      const random = seeded(4_000 + round);
      const some = (most: number): Buffer =>
        Buffer.from(Array.from({ length: Math.floor(random() * most) }, () => Math.floor(random() * 256)));
      const entries = Array.from({ length: Math.floor(random() * 9) }, (_, n) => {
        const path = `${random() < 0.3 ? 'documents/' : ''}${n}${random() < 0.3 ? 'ä中' : ''}`;
        if (random() < 0.5) return buffered(path, some(5_000));
        return streamed(
          path,
          Array.from({ length: Math.floor(random() * 4) }, () => some(3_000)),
        );
      });
      expect((await bytesOf(zipOf(entries))).equals(await bytesOf(yazlOf(entries)))).toBe(true);
    },
  );

  it('may have more than 65,535 entries, and reads back', async () => {
    const entries = Array.from({ length: 65_536 }, (_, n) => buffered(`${n}`, Buffer.from(`${n}`)));
    const zip = await bytesOf(zipOf(entries));
    const archive = await openStoredArchive({
      sizeBytes: zip.length,
      async *read(start, end) {
        yield zip.subarray(start, end);
      },
    });
    expect(archive.entries).toHaveLength(65_536);
    expect((await bytesOf(archive.read('65535'))).toString()).toBe('65535');
  });

  it('uses ZIP64 only for sizes and offsets that exceed four bytes', () => {
    const name = Buffer.from('n');
    const record = (size: number, offset: number) =>
      directoryRecord({ name, size, offset, crc32: 1, isDescribed: true }).length;
    expect([record(0xfffffffe, 0xfffffffe), record(0xffffffff, 0), record(0, 0xffffffff)]).toEqual([47, 75, 75]);
    const end = (...args: Parameters<typeof endRecords>) => endRecords(...args).length;
    expect([end(65_534, 0xfffffffe, 9), end(65_535, 0, 9), end(1, 0xffffffff, 9)]).toEqual([22, 98, 98]);
  });

  itUnless(lackOfCount(GIGABYTES, 'BUNDLE_ZIP64_GIGABYTES'))(
    'equals the archive that yazl writes beyond 4 GiB',
    async () => {
      const block = Buffer.alloc(64 * MIB, 'block');
      const pieces = Array.from({ length: (GIGABYTES * 1_024) / 64 }, () => block);
      const entries = [buffered('a', Buffer.from('a')), streamed('large', pieces), buffered('behind', block)];
      expect(await hashOf(zipOf(entries))).toBe(await hashOf(yazlOf(entries)));
    },
    600_000,
  );

  it('ends the current entry when its reader stops', async () => {
    let ended = false;
    const endless: ArchiveEntry = {
      path: 'endless',
      size: 1_000_000,
      async *content() {
        try {
          for (;;) yield Buffer.alloc(10);
        } finally {
          ended = true;
        }
      },
    };
    let met = 0;
    for await (const _ of zipOf([endless])) if (++met === 3) break;
    expect(ended).toBe(true);
  });

  it.each(['', '/etc/passwd', 'a/../b', 'a\\b'])('rejects the entry name %j', async (path) => {
    await expect(bytesOf(zipOf([buffered(path, Buffer.from('x'))]))).rejects.toThrow();
  });

  it('fails if an entry is shorter than declared', async () => {
    const short = { ...streamed('x', [Buffer.from('ab')]), size: 3 };
    await expect(bytesOf(zipOf([short]))).rejects.toThrow();
  });
});

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import type { TenantWorm, WormStore } from '../../../shared/worm/worm-store.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';
import { seeded } from '../../support/random.js';
import { type Beneath, dropFolder, EVERY_WORM_DRIVER, openWorm, type WormPlace } from './drivers.js';

const MIB = 1_048_576;
const SEGMENT_RECORDS = 20;

let server: TestServer;
let database: Database;
let beneath: Beneath;
let folder: WormPlace = null;
let clock = new ManualClock();
const opened: WormStore[] = [];

async function openStore(segmentBytes = 4 * MIB): Promise<WormStore> {
  const ids = ulidIds(() => clock.nowMs(), systemRandomness());
  const limits = { segmentRecords: SEGMENT_RECORDS, segmentBytes };
  const store = await openWorm({ database, limits, clock, ids, logger: recordingLogger().logger }, folder);
  opened.push(store);
  return store;
}

const tenantOf = (store: WormStore, name: string): TenantWorm =>
  store.forTenant({ tenantId: name as TenantId, logId: `log_${name}` });

const recordOf = (text: string) => {
  const bytes = Buffer.from(text);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
};

const bytesOf = async (worm: TenantWorm, sha256: string) => (await worm.readRecords([sha256])).get(sha256)?.bytes;

const wormDb = () => wormDatabase(database);

const segmentsOf = (name: string) =>
  wormDb()
    .collection<{ _id: string; state: string }>('worm_segments')
    .find({ log_id: `log_${name}` })
    .sort({ _id: 1 })
    .toArray();

/** Records that a segment holds, each once. */
const countIn = async (segment: string): Promise<number> =>
  new Set((await beneath.records(segment)).map(({ _id }) => _id)).size;

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

describe.each(EVERY_WORM_DRIVER)('on $name:', (driver) => {
  beforeAll(async () => {
    clock = new ManualClock('2026-03-31T23:59:00.000Z');
    server = await startTestServer();
    database = await server.connect('worm');
    folder = await driver.folder();
    beneath = driver.beneath(database, folder);
  });

  afterAll(async () => {
    for (const store of opened.splice(0)) await store.close();
    await server.stop();
    await dropFolder(folder);
  });

  describe('records', () => {
    it('are returned byte for byte; the same record again adds nothing; unknown ones are missing', async () => {
      const worm = tenantOf(await openStore(), 'bytes');
      const record = recordOf('{"a":"ü"}');
      await worm.putRecords([record]);
      await worm.putRecords([record]);
      await worm.putRecords([record], { fresh: true });
      expect(await bytesOf(worm, record.sha256)).toEqual(record.bytes);
      expect(await bytesOf(worm, '0'.repeat(64))).toBeUndefined();
      const [segment] = await segmentsOf('bytes');
      expect(await countIn(segment?._id ?? '')).toBe(1);
    });

    it('belong to their tenant', async () => {
      const store = await openStore();
      const record = recordOf('mine');
      await tenantOf(store, 'mine').putRecords([record]);
      expect(await bytesOf(tenantOf(store, 'yours'), record.sha256)).toBeUndefined();
    });

    it('roll over at 0.80 of a segment: two processes write three times its capacity, and nothing is evicted', async () => {
      const [one, two] = [tenantOf(await openStore(), 'roll'), tenantOf(await openStore(), 'roll')];
      const records = Array.from({ length: SEGMENT_RECORDS * 3 }, (_, n) => recordOf(`record ${n}`));
      await Promise.all(records.map((record, n) => (n % 2 ? one : two).putRecords([record], { fresh: true })));
      const segments = await segmentsOf('roll');
      expect(segments.length).toBeGreaterThanOrEqual(5);
      for (const { _id } of segments) {
        const count = await countIn(_id);
        expect(count).toBeLessThanOrEqual(SEGMENT_RECORDS * 0.8);
      }
      // The last segment is open in advance.
      expect(segments.at(-1)).toMatchObject({ state: 'OPEN', reserved_records: 0 });
      const read = await tenantOf(await openStore(), 'roll').readRecords(records.map((record) => record.sha256));
      expect(read.size).toBe(records.length);
      for (const record of records) expect(read.get(record.sha256)?.bytes).toEqual(record.bytes);
    });

    it('roll over by bytes as well, and a batch larger than a segment is split', async () => {
      const worm = tenantOf(await openStore(2 * MIB), 'size');
      const records = Array.from({ length: 12 }, (_, n) => recordOf(`${n}`.repeat(400_000)));
      await worm.putRecords(records, { fresh: true });
      expect((await segmentsOf('size')).length).toBeGreaterThanOrEqual(5);
      expect((await worm.readRecords(records.map((record) => record.sha256))).size).toBe(12);
      await expect(worm.putRecords([recordOf('x'.repeat(MIB + 1))])).rejects.toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
      });
    });

    it('of a new quarter go to a segment of that quarter, and older ones stay readable', async () => {
      const worm = tenantOf(await openStore(), 'quarter');
      const [before, after] = [recordOf('before'), recordOf('after')];
      await worm.putRecords([before]);
      clock.advance(120_000);
      await worm.putRecords([after]);
      const names = (await segmentsOf('quarter')).map((segment) => segment._id);
      expect(names).toEqual([
        'worm_log_quarter_2026q1_000001',
        'worm_log_quarter_2026q1_000002',
        'worm_log_quarter_2026q2_000001',
        'worm_log_quarter_2026q2_000002',
      ]);
      expect(await bytesOf(worm, before.sha256)).toEqual(before.bytes);
      expect(await bytesOf(worm, after.sha256)).toEqual(after.bytes);
    });
  });

  // Longer ones go through the thread of blocks, where there is one.
  describe.each([3, 11])('blobs of %i MiB and more', (mebibytes) => {
    const random = seeded(mebibytes);
    const content = Buffer.alloc(mebibytes * MIB + 12_345);
    for (let at = 0; at + 4 <= content.length; at += 4) content.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const named = (name: string): string => `${name}-${mebibytes}`;

    it('are returned whole and by range, and the same bytes are stored once', async () => {
      const worm = tenantOf(await openStore(), named('blob'));
      const first = await worm.putBlob(pieces(content, 100_000), 1e9);
      expect(first).toEqual({ sha256, sizeBytes: content.length, created: true });
      expect(await worm.putBlob(pieces(content, 777_777), 1e9)).toEqual({ ...first, created: false });
      expect(await worm.blobSize(sha256)).toBe(content.length);
      expect((await collect(worm.readBlob(sha256))).equals(content)).toBe(true);
      for (const [start, end] of [
        [0, 1],
        [MIB - 1, MIB + 1],
        [MIB, 2 * MIB],
        [2_500_000, content.length],
        [9, 9],
      ] as const) {
        expect((await collect(worm.readBlob(sha256, { start, end }))).equals(content.subarray(start, end))).toBe(true);
      }
      expect(
        await wormDb()
          .collection('blobs')
          .find({ '_id.tenant_id': named('blob') })
          .toArray(),
      ).toHaveLength(1);
    });

    it('of any small size, even empty, are returned; oversized ones are rejected', async () => {
      const worm = tenantOf(await openStore(), named('small'));
      for (const size of [0, 1, MIB - 1, MIB, MIB + 1]) {
        const bytes = content.subarray(0, size);
        const put = await worm.putBlob(pieces(bytes, 65_536), 2 * MIB);
        expect(put.sizeBytes).toBe(size);
        expect((await collect(worm.readBlob(put.sha256))).equals(bytes)).toBe(true);
      }
      await expect(worm.putBlob(pieces(content, 65_536), MIB)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      await expect(collect(worm.readBlob('0'.repeat(64)))).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await worm.blobSize('0'.repeat(64))).toBeNull();
      const { sha256 } = await worm.putBlob(pieces(content.subarray(0, 7), 7), MIB);
      expect(await worm.presentBlobs([sha256, '0'.repeat(64)])).toEqual(new Set([sha256]));
      expect(await worm.presentBlobs([])).toEqual(new Set());
      expect(await tenantOf(await openStore(), named('another')).presentBlobs([sha256])).toEqual(new Set());
    });

    it('with a flipped bit, a missing block or a truncated block are never returned', async () => {
      const worm = tenantOf(await openStore(), named('broken'));
      await worm.putBlob(pieces(content, 500_000), 1e9);
      const row = await wormDb()
        .collection('blobs')
        .findOne({ '_id.tenant_id': named('broken') });
      const fileId = String(row?.['file_id']);
      const bytes = await beneath.block(fileId, 1);
      expect(bytes).toHaveLength(MIB);
      const broken = Buffer.from(bytes);
      broken[500] = (broken[500] ?? 0) ^ 4;
      for (const data of [broken, bytes.subarray(0, MIB - 1), Buffer.alloc(0)]) {
        await beneath.replaceBlock(fileId, 1, data);
        const good = worm.readBlob(sha256, { start: 0, end: MIB });
        expect((await collect(good)).length).toBe(MIB);
        await expect(collect(worm.readBlob(sha256))).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
        await expect(collect(worm.readBlob(sha256, { start: MIB + 5, end: MIB + 6 }))).rejects.toMatchObject({
          code: 'INTEGRITY_FAILURE',
        });
      }
      await beneath.removeBlocks(fileId);
      await expect(collect(worm.readBlob(sha256))).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    });

    it('are streamed in pieces, to several readers at once, and to readers that leave early', async () => {
      const worm = tenantOf(await openStore(), named('lent'));
      await worm.putBlob(pieces(content, 65_536), 1e9);
      const hashOfLent = async (): Promise<string> => {
        const hash = createHash('sha256');
        for await (const piece of worm.lendBlob(sha256)) {
          hash.update(piece);
          // Another one's turn: memory that came back too early would be filled by now.
          await new Promise((resolve) => setImmediate(resolve));
        }
        return hash.digest('hex');
      };
      const leave = async (): Promise<void> => {
        for await (const _ of worm.lendBlob(sha256)) return;
      };
      const hashes = await Promise.all([hashOfLent(), hashOfLent(), leave(), hashOfLent(), leave()]);
      expect(hashes.filter((hash) => hash !== undefined)).toEqual([sha256, sha256, sha256]);
      expect((await collect(worm.readBlob(sha256, { start: 5, end: content.length - 5 }))).length).toBe(
        content.length - 10,
      );
    });

    it('uploaded twice at once are one blob', async () => {
      const worm = tenantOf(await openStore(), named('race'));
      const put = await Promise.all([1, 2, 3].map(() => worm.putBlob(pieces(content, 300_000), 1e9)));
      expect(put.filter((blob) => blob.created)).toHaveLength(1);
      expect((await collect(worm.readBlob(sha256))).equals(content)).toBe(true);
    });
  });
});

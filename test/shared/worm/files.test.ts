import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import { FileBlobs } from '../../../shared/worm/blobs/file-blobs.js';
import { openMongoWormStore } from '../../../shared/worm/open-worm-store.js';
import { FileRecords } from '../../../shared/worm/records/file-records.js';
import { RecordPlaces } from '../../../shared/worm/records/places.js';
import { folderRights } from '../../../shared/worm/self-test.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';
import { openWorm, partsOf } from './drivers.js';

const MIB = 1_048_576;
const SEGMENT = 'worm_log_a_2026q1_000001';
const clock = new ManualClock();
const ids = ulidIds(() => clock.nowMs(), systemRandomness());

let root: string;
let server: TestServer;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'eas-worm-files-'));
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const recordOf = (text: string) => {
  const bytes = Buffer.from(text);
  return { sha256: sha256Hex(bytes), bytes };
};
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => recordOf(`record ${from + n}`));
const namesOf = (records: readonly { readonly sha256: string }[]) => records.map(({ sha256 }) => sha256).sort();

let places = 0;
async function folderOfOne(): Promise<string> {
  const folder = join(root, `place-${++places}`);
  await mkdir(folder);
  return folder;
}

const open = (folder: string) => new FileRecords({ folder, ids, logger: recordingLogger().logger });
const partFiles = async (folder: string) =>
  (await readdir(join(folder, SEGMENT))).filter((name) => name.endsWith('.part'));

describe('a segment of files', () => {
  it('shares one write and one flush among concurrent writers, and is readable by stock tools', async () => {
    const folder = await folderOfOne();
    const records = open(folder);
    await records.open(SEGMENT);
    const given = many(50);
    await Promise.all(given.map((record) => records.insert(SEGMENT, [record])));
    const [part = ''] = await partFiles(folder);
    expect(await partFiles(folder)).toHaveLength(1);
    const text = await readFile(join(folder, SEGMENT, part), 'utf8');
    const first = given[0];
    expect(text.startsWith(`${first?.sha256} 0000008\nrecord 0\n`)).toBe(true);
    expect(await records.names(SEGMENT, null, 100)).toEqual(namesOf(given));
  });

  it('accepts parts of several processes, which read each other’s parts, also during writes', async () => {
    const folder = await folderOfOne();
    const [one, two] = [open(folder), open(folder)];
    await Promise.all([one.open(SEGMENT), two.open(SEGMENT)]);
    const given = many(200);
    await Promise.all(
      given.map(async (record, n) => {
        await (n % 2 ? one : two).insert(SEGMENT, [record]);
        expect(await (n % 2 ? two : one).present(SEGMENT, [record.sha256])).toEqual([record.sha256]);
      }),
    );
    expect(await partFiles(folder)).toHaveLength(2);
    for (const records of [one, two, open(folder)]) {
      expect(await records.names(SEGMENT, null, 1_000)).toEqual(namesOf(given));
    }
  });

  it('truncated at any byte of its last record keeps all earlier records, and accepts no write after the cut', async () => {
    const folder = await folderOfOne();
    const whole = many(3);
    await open(folder).open(SEGMENT);
    await open(folder).insert(SEGMENT, whole);
    const [part = ''] = await partFiles(folder);
    const path = join(folder, SEGMENT, part);
    const before = (await stat(path)).size;
    const last = recordOf('the record that a crash cut');
    const frame = `${last.sha256} ${String(last.bytes.length).padStart(7, '0')}\n${last.bytes}\n`;
    for (let bytes = 0; bytes < frame.length; bytes++) {
      await truncate(path, before);
      await appendFile(path, frame.slice(0, bytes));
      expect(await open(folder).names(SEGMENT, null, 10)).toEqual(namesOf(whole));
    }
    // The restarted process writes to its own part.
    const restarted = open(folder);
    await restarted.insert(SEGMENT, [last]);
    expect(await restarted.names(SEGMENT, null, 10)).toEqual(namesOf([...whole, last]));
    expect((await stat(path)).size).toBe(before + frame.length - 1);
    expect(await partFiles(folder)).toHaveLength(2);
  });

  it('keeps the seed of an entry after its record, and cuts neither of both', async () => {
    const folder = await folderOfOne();
    const records = open(folder);
    await records.open(SEGMENT);
    const { sha256, bytes } = recordOf('an entry');
    const seed = Buffer.alloc(32, 0xab);
    await records.insert(SEGMENT, [{ sha256, bytes, seed }, recordOf('no entry')]);
    const [part = ''] = await partFiles(folder);
    const path = join(folder, SEGMENT, part);
    const frame = `${sha256} 0000008\nan entry ${'ab'.repeat(32)}\n`;
    expect((await readFile(path, 'latin1')).startsWith(frame)).toBe(true);
    expect(await records.find(SEGMENT, [sha256])).toEqual([{ _id: sha256, bytes, seed }]);
    expect(await records.find(SEGMENT, [recordOf('no entry').sha256])).toHaveLength(1);
    for (let length = 0; length < frame.length; length++) {
      await truncate(path, length);
      expect(await open(folder).names(SEGMENT, null, 10)).toEqual([]);
    }
  });

  it('returns a frame as soon as it is complete, because a reader checks the file again as it grows', async () => {
    const folder = await folderOfOne();
    const records = open(folder);
    await records.open(SEGMENT);
    const { sha256, bytes } = recordOf('x'.repeat(100));
    const path = join(folder, SEGMENT, 'other.part');
    await writeFile(path, `${sha256} 0000100\n${bytes.subarray(0, 40)}`);
    expect(await records.present(SEGMENT, [sha256])).toEqual([]);
    await appendFile(path, `${bytes.subarray(40)}\n`);
    expect(await records.find(SEGMENT, [sha256])).toEqual([{ _id: sha256, bytes }]);
  });

  it('with damage in the middle keeps every sound record, and returns changed bytes as they are', async () => {
    const folder = await folderOfOne();
    const records = open(folder);
    await records.open(SEGMENT);
    const given = Array.from({ length: 12 }, (_, n) => recordOf(`${n}-`.repeat(300_000)));
    await records.insert(SEGMENT, given);
    expect(await records.names(SEGMENT, null, 20)).toHaveLength(12);
    const [part] = await partsOf(join(folder, SEGMENT));
    const middle = part?.frames[6];
    if (!part || !middle) throw new Error('no such frame');
    for (const [name, at] of [
      ['a header', middle.from + 3],
      ['the line feed at its end', middle.to - 1],
    ] as const) {
      const bytes = Buffer.from(part.bytes);
      bytes[at] = 0x2a;
      await writeFile(part.path, bytes);
      const rest = namesOf(given.filter(({ sha256 }) => sha256 !== middle.record._id));
      expect({ name, names: await open(folder).names(SEGMENT, null, 20) }).toEqual({ name, names: rest });
      expect(await records.find(SEGMENT, [middle.record._id])).toEqual([]);
    }
    // Shorter, and gone.
    await writeFile(part.path, part.bytes.subarray(0, middle.from));
    expect(await records.names(SEGMENT, null, 20)).toHaveLength(6);
    await rm(part.path);
    expect(await records.names(SEGMENT, null, 20)).toEqual([]);
  });

  it('is read-only once sealed; dropping it deletes all of it, and may be repeated', async () => {
    const folder = await folderOfOne();
    const [one, late, fresh] = [open(folder), open(folder), open(folder)];
    await one.open(SEGMENT);
    await one.insert(SEGMENT, many(2));
    await late.insert(SEGMENT, many(2, 2));
    await one.seal(SEGMENT);
    await one.seal(SEGMENT);
    for (const records of [one, late, fresh]) {
      await expect(records.insert(SEGMENT, many(1, 9))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    for (const name of await partFiles(folder)) {
      expect((await stat(join(folder, SEGMENT, name))).mode & 0o777).toBe(0o400);
    }
    expect((await stat(join(folder, SEGMENT))).mode & 0o777).toBe(0o500);
    expect(await fresh.names(SEGMENT, null, 10)).toEqual(namesOf(many(4)));
    await one.drop(SEGMENT);
    await one.drop(SEGMENT);
    expect(await readdir(folder)).toEqual([]);
    expect(await one.names(SEGMENT, null, 10)).toEqual([]);
    await expect(one.open('../outside')).rejects.toThrow('malformed');
  });

  it('reports a failed write and continues in a new part, also when another process wrote to its part', async () => {
    const folder = await folderOfOne();
    const records = open(folder);
    await records.open(SEGMENT);
    await records.insert(SEGMENT, many(1));
    const [part = ''] = await partFiles(folder);
    await appendFile(join(folder, SEGMENT, part), 'of somebody else');
    await records.insert(SEGMENT, many(1, 1));
    const [, second = ''] = await partFiles(folder);
    await rm(join(folder, SEGMENT, second));
    await mkdir(join(folder, SEGMENT, second));
    await expect(records.insert(SEGMENT, many(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await rm(join(folder, SEGMENT, second), { recursive: true });
    await records.insert(SEGMENT, many(1, 3));
    expect(await partFiles(folder)).toHaveLength(2);
    expect(await records.names(SEGMENT, null, 10)).toEqual(namesOf([...many(1), ...many(1, 3)]));
  });
});

it('finds the places of records by hash, in the order of their arrival, for any number of records', () => {
  const index = new RecordPlaces();
  const given = many(5_000);
  for (const [at, { sha256 }] of given.entries()) index.add(sha256, { part: at % 3, at, length: at + 1 });
  index.add(given[7]?.sha256 ?? '', { part: 9, at: 9, length: 9 });
  expect(index.size).toBe(5_000);
  expect(index.find(given[7]?.sha256 ?? '')).toEqual({ part: 1, at: 7, length: 8 });
  expect(index.find('0'.repeat(64))).toBeNull();
  const sorted = namesOf(given);
  expect(index.after(null, 10_000)).toEqual(sorted);
  expect(index.after(sorted[41] ?? '', 3)).toEqual(sorted.slice(42, 45));
  expect(index.after(sorted[4_999] ?? '', 3)).toEqual([]);
  expect([...index.all()]).toEqual(given.map(({ sha256 }) => sha256));
});

describe('contents as files', () => {
  it('are read-only once complete, are written once, and list unfinished uploads in order', async () => {
    const folder = join(root, 'blobs');
    const blobs = new FileBlobs(folder);
    await blobs.prepare();
    const [whole, half] = [ids.next('blob'), ids.next('blob')];
    const upload = blobs.upload(whole);
    await Promise.all([
      upload.block(0, Buffer.alloc(MIB, 1)),
      upload.block(1, Buffer.alloc(5, 2)),
      upload.end(MIB + 5),
    ]);
    await upload.release();
    const path = join(folder, whole.slice(0, 10), whole);
    expect((await stat(path)).mode & 0o777).toBe(0o400);
    const again = blobs.upload(whole);
    await expect(again.block(0, Buffer.alloc(1))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await again.release();
    const broken = blobs.upload(half);
    await broken.block(0, Buffer.alloc(10));
    await expect(broken.end(11)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await broken.release();
    const found: string[] = [];
    for await (const id of blobs.files('blb_0', 'blb_Z')) found.push(id);
    expect(found).toEqual([whole, half].sort());
    await blobs.remove(half);
    await blobs.remove(half);
    expect(await readdir(join(folder, whole.slice(0, 10)))).toEqual([whole]);
  });
});

describe('the folder of a store', () => {
  const limits = { segmentRecords: 20, segmentBytes: 4 * MIB };
  const depsOf = (database: Database) => ({ database, limits, clock, ids, logger: recordingLogger().logger });

  it('is bound to its database: another folder, an empty one and another driver are rejected', async () => {
    const database = await server.connect('folders');
    const [first, empty] = [await folderOfOne(), await folderOfOne()];
    const store = await openWorm(depsOf(database), first);
    const worm = store.forTenant({ tenantId: 'a' as never, logId: 'log_a' });
    const record = recordOf('kept');
    await worm.putRecords([record]);
    await store.close();
    await expect(openWorm(depsOf(database), empty)).rejects.toThrow('is not the folder');
    await expect(openMongoWormStore(depsOf(database))).rejects.toThrow('SERVICE_WORM_DRIVER=filesystem');
    await expect(openWorm(depsOf(await server.connect('another')), first)).rejects.toThrow('is not the folder');
    const again = await openWorm(depsOf(database), first);
    const read = await again.forTenant({ tenantId: 'a' as never, logId: 'log_a' }).readRecords([record.sha256]);
    expect(read.get(record.sha256)?.bytes).toEqual(record.bytes);
    await again.close();
  });

  it('is rejected by a database that holds records itself', async () => {
    const database = await server.connect('holding');
    const store = await openMongoWormStore(depsOf(database));
    await store.forTenant({ tenantId: 'a' as never, logId: 'log_a' }).putRecords([recordOf('in the database')]);
    await store.close();
    await expect(openWorm(depsOf(database), await folderOfOne())).rejects.toThrow('SERVICE_WORM_DRIVER=mongodb');
  });

  it('is created once by processes that start at the same time', async () => {
    const database = await server.connect('together');
    const folder = join(root, 'together');
    const stores = await Promise.all([1, 2, 3, 4].map(() => openWorm(depsOf(database), folder)));
    const tenant = { tenantId: 'a' as never, logId: 'log_a' };
    const given = many(30);
    await Promise.all(given.map((record, n) => stores[n % 4]?.forTenant(tenant).putRecords([record])));
    for (const store of stores) {
      expect((await store.forTenant(tenant).presentRecords(namesOf(given))).size).toBe(30);
      await store.close();
    }
    expect((await readdir(folder)).sort()).toEqual(['blobs', 'segments', 'store.json']);
  });

  it('is tested at start: the test reports the owner’s rights to change files, and leaves no file', async () => {
    const folder = await folderOfOne();
    expect(await folderRights(folder)).toEqual(['update', 'delete']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('defaults to the data folder, and may be set only with its driver', () => {
    expect(configFrom({}).wormFolder).toBeNull();
    const driver = { SERVICE_WORM_DRIVER: 'filesystem' };
    expect(configFrom({ ...driver, SERVICE_DATA_DIR: '/data' }).wormFolder).toBe('/data/worm');
    expect(configFrom({ ...driver, SERVICE_WORM_DIR: '/worm' }).wormFolder).toBe('/worm');
    expect(() => configFrom({ SERVICE_WORM_DIR: '/worm' })).toThrow('needs SERVICE_WORM_DRIVER=filesystem');
  });
});

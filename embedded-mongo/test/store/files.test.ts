import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { open } from 'lmdb';
import { MongoClient } from 'mongodb';
import { encodeDocument } from '../../bson/encode.js';
import { BsonDoc } from '../../bson/value.js';
import { catalogKey, KIND } from '../../catalog/collection.js';
import { checkDatabase } from '../../index.js';
import { type Running, startChild, startInThread } from '../../launch/launch.js';
import { openEnvironment } from '../../store/environment.js';
import { failureOf, temporaryDirectory } from '../test-server.js';

const PAGE_BYTES = 4_096;
const directory = temporaryDirectory();
const whole = join(directory.path, 'whole');
const DOCUMENTS = 400;
const MOVED = 20;

async function connected<T>(running: Running, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(running.uri);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

beforeAll(async () => {
  const running = await startInThread({ dataDir: whole });
  await connected(running, async (client) => {
    const c = client.db('files').collection<{ _id: number; n: number; pad: string }>('c');
    await c.createIndexes([{ key: { n: 1 } }, { key: { pad: 1 } }]);
    await c.insertMany(Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: n, n: n % 17, pad: 'x'.repeat(n * 10) })));
  });
  await running.stop();
});
afterAll(() => directory.remove());

/** A copy of the data file, changed. */
function copyWith(name: string, change: (file: string) => void): string {
  const dataDir = join(directory.path, name);
  mkdirSync(dataDir);
  copyFileSync(join(whole, 'data.mdb'), join(dataDir, 'data.mdb'));
  change(join(dataDir, 'data.mdb'));
  return dataDir;
}

describe('the lock', () => {
  it('rejects a second server after the owner file was deleted', async () => {
    const dataDir = copyWith('lost owner', () => undefined);
    const running = await startChild({ dataDir });
    unlinkSync(join(dataDir, 'owner.json'));
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({
      fault: 'in-use',
      message: expect.stringMatching(/stop it first/),
    });
    await running.stop();
  });

  it.each(['lock.mdb', 'owner.json'])('opens after the %s of a dead server was lost or garbled', async (name) => {
    const dataDir = copyWith(`garbled ${name}`, () => undefined);
    for (const remains of [undefined, '', 'garbage']) {
      if (remains === undefined) rmSync(join(dataDir, name), { force: true });
      else writeFileSync(join(dataDir, name), remains);
      const running = await startInThread({ dataDir });
      expect(await connected(running, (client) => client.db('files').collection('c').countDocuments())).toBe(DOCUMENTS);
      await running.stop();
    }
  });
});

describe('a foreign file', () => {
  it("rejects another program's LMDB file without changing it", async () => {
    const dataDir = join(directory.path, 'foreign');
    const foreign = open({ path: dataDir, noSubdir: false });
    await foreign.openDB('theirs', {}).put('a', 1);
    await foreign.close();
    const before = readFileSync(join(dataDir, 'data.mdb'));
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({
      fault: 'foreign',
      message: expect.stringMatching(/"theirs".*choose another folder/),
    });
    expect(readFileSync(join(dataDir, 'data.mdb')).equals(before)).toBe(true);
  });

  it('rejects data of another format by its number without changing it', async () => {
    const dataDir = copyWith('format', () => undefined);
    const env = openEnvironment(dataDir);
    const meta = BsonDoc.of({ engine: 'embedded-mongo', format: 99, nextId: 1 });
    env.catalog.put(catalogKey(KIND.meta), encodeDocument(meta));
    await env.close();
    const before = readFileSync(join(dataDir, 'data.mdb'));
    const failure = { fault: 'format', message: expect.stringMatching(/format 99.*reads format 1/) };
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject(failure);
    expect(await failureOf(startChild({ dataDir }))).toMatchObject(failure);
    expect(readFileSync(join(dataDir, 'data.mdb')).equals(before)).toBe(true);
  });

  it('rejects records without a catalog', async () => {
    const dataDir = copyWith('no catalog', () => undefined);
    const env = openEnvironment(dataDir);
    env.root.transactionSync(() => {
      for (const key of [...env.catalogBytes.getKeys({})]) env.catalog.remove(key);
    });
    await env.close();
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({ fault: 'damaged' });
  });
});

describe('an incomplete file', () => {
  it('opens when only free pages are missing at its end', async () => {
    const dataDir = copyWith('free end', () => undefined);
    const running = await startInThread({ dataDir });
    await connected(running, async (client) => {
      await client
        .db('files')
        .collection('big')
        .insertOne({ pad: 'x'.repeat(2_000_000) });
      await client.db('files').collection('big').drop();
    });
    await running.stop();
    const file = join(dataDir, 'data.mdb');
    // Pages in use may also be at the end of the file. The server rejects such a cut, and writes move the pages forward.
    for (let written = MOVED; ; written += MOVED) {
      const moving = await startInThread({ dataDir });
      await connected(moving, async (client) => {
        for (let n = 0; n < MOVED; n += 1) await client.db('files').collection('c').insertOne({});
      });
      await moving.stop();
      const before = readFileSync(file);
      truncateSync(file, statSync(file).size - 20 * PAGE_BYTES);
      const again = await startInThread({ dataDir }).catch((error: unknown) => error as Error);
      if (again instanceof Error) {
        expect(again).toMatchObject({ fault: 'damaged' });
        expect(written).toBeLessThan(50 * MOVED);
        writeFileSync(file, before);
        continue;
      }
      const count = await connected(again, (client) => client.db('files').collection('c').countDocuments());
      await again.stop();
      expect(count).toBe(DOCUMENTS + written);
      return;
    }
  });

  it('is rejected or complete, wherever it is cut', async () => {
    const pages = statSync(join(whole, 'data.mdb')).size / PAGE_BYTES;
    const outcomes: string[] = [];
    for (let i = 1; i <= 8; i++) {
      const keptPages = Math.floor((pages * i) / 9);
      const dataDir = copyWith(`cut ${i}`, (file) => truncateSync(file, keptPages * PAGE_BYTES - (i % 2 ? 0 : 1_000)));
      const outcome = await startChild({ dataDir }).then(
        (running) => running,
        (error: unknown) => error as Error,
      );
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ fault: 'damaged', message: expect.stringMatching(/restore a backup/) });
        outcomes.push('refused');
        continue;
      }
      expect(await connected(outcome, (client) => client.db('files').collection('c').countDocuments())).toBe(DOCUMENTS);
      await outcome.stop();
      outcomes.push('whole');
    }
    expect(outcomes).toContain('refused');
  });

  it('reports an overwritten page, unless the page was unused', async () => {
    const file = join(whole, 'data.mdb');
    const pages = statSync(file).size / PAGE_BYTES;
    let found = 0;
    for (let i = 0; i < 10; i++) {
      const page = 2 + Math.floor(((pages - 3) * i) / 9);
      const dataDir = copyWith(`page ${i}`, (copy) => {
        const bytes = readFileSync(copy);
        bytes.fill(i % 2 ? 0xa5 : 0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
        writeFileSync(copy, bytes);
      });
      const outcome = await checkDatabase(dataDir).then(
        (checked) => checked.flatMap(({ errors }) => errors),
        (error: unknown) => [String(error)],
      );
      if (outcome.length > 0) {
        found += 1;
        continue;
      }
      const running = await startInThread({ dataDir });
      await connected(running, async (client) => {
        const all = await client.db('files').collection<{ _id: number; pad: string }>('c').find().toArray();
        expect(all.every(({ _id, pad }) => pad === 'x'.repeat(_id * 10))).toBe(true);
        expect(all).toHaveLength(DOCUMENTS);
      });
      await running.stop();
    }
    expect(found).toBeGreaterThan(3);
    expect(existsSync(file)).toBe(true);
  });
});

import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { backUp, restoreBackup } from '../../backup/back-up.js';
import { checkDatabase } from '../../backup/check-database.js';
import { type Running, startChild, startInThread } from '../../launch/launch.js';
import { DataCipher, type Encryption, SEAL_BYTES } from '../../store/data-cipher.js';
import { openEnvironment } from '../../store/environment.js';
import { recordKey } from '../../store/keys.js';
import { isEncrypted, pageKeyVersion } from '../../store/page-key.js';
import { reEncrypt } from '../../store/re-encrypt.js';
import { failureOf, temporaryDirectory } from '../test-server.js';

const key = () => randomBytes(32).toString('hex');
const FIRST: Encryption = { current: 1, keys: { 1: key() } };
const SECOND: Encryption = { current: 2, keys: { ...FIRST.keys, 2: key() } };
const MARKER = 'BRANDYWINE-MARKER';
const directory = temporaryDirectory();
const folder = (name: string) => join(directory.path, name);
afterAll(() => directory.remove());

async function withClient<T>(running: Running, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(running.uri);
  try {
    return await work(client);
  } finally {
    await client.close();
    await running.stop();
  }
}

/** Fills a folder with documents, some large, under an index over the marker. */
const fill = async (dataDir: string, encryption?: Encryption): Promise<void> =>
  withClient(await startInThread({ dataDir, ...(encryption ? { encryption } : {}) }), async (client) => {
    const c = client.db('clinic').collection('notes');
    await c.createIndex({ name: 1, n: 1 });
    await c.createIndex({ n: 1 }, { unique: true });
    await c.insertMany(Array.from({ length: 3_000 }, (_, n) => ({ n, name: MARKER, text: `${MARKER} ${n}` })));
    await c.insertOne({ n: -1, name: MARKER, text: MARKER.repeat(200_000) });
    await c.deleteMany({ n: { $gte: 2_900 } });
    await client.db('clinic').collection('gone').insertOne({ text: MARKER });
    await client.db('clinic').dropCollection('gone');
  });

const contentOf = async (dataDir: string, encryption?: Encryption) =>
  withClient(await startInThread({ dataDir, ...(encryption ? { encryption } : {}) }), async (client) => {
    const c = client.db('clinic').collection<{ n: number; text: string }>('notes');
    const found = await c.find({ name: MARKER }, { sort: { n: 1 } }).toArray();
    const { valid } = await client.db('clinic').command({ validate: 'notes', full: true });
    return {
      count: found.length,
      valid,
      texts: found.slice(1, 4).map(({ text }) => text),
      large: found[0]?.text.length,
    };
  });

const WHOLE = {
  count: 2_901,
  valid: true,
  texts: [0, 1, 2].map((n) => `${MARKER} ${n}`),
  large: MARKER.length * 200_000,
};

/** Files of a folder that hold the marker. */
function filesWithMarker(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(path, name);
    return statSync(file).isFile() && readFileSync(file).includes(MARKER);
  });
}

describe('the files of an encrypted database', () => {
  beforeAll(() => fill(folder('sealed'), FIRST));

  it('show no value and no key of an index, running or stopped', async () => {
    await fill(folder('plain'));
    expect(filesWithMarker(folder('plain'))).toEqual(['data.mdb']);
    expect(filesWithMarker(folder('sealed'))).toEqual([]);
    const running = await startInThread({ dataDir: folder('sealed'), encryption: FIRST });
    await withClient(running, async (client) => {
      await client.db('clinic').collection('notes').insertOne({ n: 9_999, name: MARKER });
      expect(filesWithMarker(folder('sealed'))).toEqual([]);
      await client.db('clinic').collection('notes').deleteOne({ n: 9_999 });
    });
  });

  it('hold the stored documents, also for a child process', async () => {
    expect(await contentOf(folder('sealed'), FIRST)).toEqual(WHOLE);
    await withClient(await startChild({ dataDir: folder('sealed'), encryption: FIRST }), async (client) => {
      expect(await client.db('clinic').collection('notes').countDocuments({})).toBe(WHOLE.count);
    });
  });

  it('do not open without keys, with other keys, or with keys for plain files', async () => {
    const refused = async (dataDir: string, encryption?: Encryption) =>
      failureOf(startInThread({ dataDir, ...(encryption ? { encryption } : {}) }));
    expect(await refused(folder('sealed'))).toMatchObject({ fault: 'locked' });
    expect(await refused(folder('sealed'), { current: 1, keys: { 1: key() } })).toMatchObject({ fault: 'locked' });
    expect(await refused(folder('sealed'), { current: 3, keys: { 3: key() } })).toMatchObject({ fault: 'locked' });
    expect(await refused(folder('plain'), FIRST)).toMatchObject({ fault: 'locked' });
    expect(await contentOf(folder('sealed'), FIRST)).toEqual(WHOLE);
  });

  it('answer an error for a value that was moved to another document', async () => {
    const dataDir = folder('moved');
    cpSync(folder('sealed'), dataDir, { recursive: true });
    const env = openEnvironment(dataDir, { encryption: FIRST });
    const [first] = [...env.data.getRange({ limit: 400 })].filter(
      ({ key: at, value }) => at.length === 12 && value.length > SEAL_BYTES + 20,
    );
    if (!first) throw new Error('there is no record');
    const rid = first.key.readUInt32BE(8);
    const other = recordKey(first.key.readUInt32BE(0), rid + 1);
    env.root.transactionSync(() => env.data.putSync(other, Buffer.from(first.value)));
    await env.close();
    await withClient(await startInThread({ dataDir, encryption: FIRST }), async (client) => {
      const read = client.db('clinic').collection('notes').find({}).toArray();
      expect(await failureOf(read)).toMatchObject({ message: expect.stringMatching(/cannot be decrypted/) });
    });
  });
});

describe('a backup of an encrypted database', () => {
  it('is a new file with another page key, which the same data keys open', async () => {
    const { manifest } = await backUp({
      root: folder('sealed'),
      database: '',
      target: folder('copy'),
      encryption: FIRST,
    });
    expect(manifest.files.map(({ path }) => path)).toEqual(['data.mdb', 'page-key.json']);
    expect(readFileSync(join(folder('copy'), 'page-key.json'))).not.toEqual(
      readFileSync(join(folder('sealed'), 'page-key.json')),
    );
    expect(filesWithMarker(folder('copy'))).toEqual([]);
    const restored: [number, number | null][] = [];
    const report = (done: number, total: number | null): unknown => restored.push([done, total]);
    await restoreBackup({ backup: folder('copy'), root: folder('restored'), report });
    const sizeBytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    expect(restored).toHaveLength(manifest.files.length);
    expect(restored.at(-1)).toEqual([sizeBytes, sizeBytes]);
    expect(await contentOf(folder('restored'), FIRST)).toEqual(WHOLE);
    const checks: [number, number][] = [];
    const checked = await checkDatabase(folder('restored'), FIRST, (done, total) => checks.push([done, total]));
    expect(checked.map(({ errors }) => errors)).toEqual([[]]);
    expect(checks).toEqual([[1, 1]]);
  });

  it('taken under writes holds each acknowledged document', async () => {
    const dataDir = folder('busy');
    const running = await startInThread({ dataDir, encryption: FIRST });
    await withClient(running, async (client) => {
      const c = client.db('clinic').collection<{ _id: number }>('notes');
      let acknowledged = 0;
      let ended = false;
      const writer = (async () => {
        while (!ended) {
          await c.insertMany(Array.from({ length: 200 }, (_, n) => ({ _id: acknowledged + n, name: MARKER })));
          acknowledged += 200;
        }
      })();
      while (acknowledged < 4_000) await c.findOne({});
      const before = acknowledged;
      await backUp({ root: dataDir, database: '', target: folder('busy-copy'), encryption: FIRST });
      ended = true;
      await writer;
      const copy = await startInThread({ dataDir: folder('busy-copy'), encryption: FIRST });
      await withClient(copy, async (other) => {
        const count = await other.db('clinic').collection('notes').countDocuments({});
        expect(count).toBeGreaterThanOrEqual(before);
        expect(count % 200).toBe(0);
      });
    });
  });
});

describe('the rewriting of a database with keys', () => {
  it('encrypts a plain folder, and leaves nothing of it in clear', async () => {
    const dataDir = folder('encrypted');
    cpSync(folder('plain'), dataDir, { recursive: true });
    expect(isEncrypted(dataDir)).toBe(false);
    expect(await reEncrypt(dataDir, { to: FIRST })).toBe(false);
    expect(isEncrypted(dataDir)).toBe(true);
    expect(filesWithMarker(dataDir)).toEqual([]);
    expect(await contentOf(dataDir, FIRST)).toEqual(WHOLE);
  });

  it('gives every value the new key, so that the old one may be forgotten', async () => {
    const dataDir = folder('rotated');
    cpSync(folder('sealed'), dataDir, { recursive: true });
    await reEncrypt(dataDir, { from: FIRST, to: SECOND });
    expect(pageKeyVersion(dataDir)).toBe(2);
    const onlySecond = { current: 2, keys: { 2: SECOND.keys[2] ?? '' } };
    expect(await contentOf(dataDir, onlySecond)).toEqual(WHOLE);
  });

  it('refuses a folder that a server serves', async () => {
    const running = await startInThread({ dataDir: folder('sealed'), encryption: FIRST });
    const attempt = failureOf(reEncrypt(folder('sealed'), { from: FIRST, to: SECOND }));
    expect(await attempt).toMatchObject({ fault: 'in-use' });
    await running.stop();
  });

  it('continues a copy that was cut off, and starts again when the database has changed since', async () => {
    for (const changes of [false, true]) {
      const dataDir = folder(`cut-${changes}`);
      cpSync(folder('sealed'), dataDir, { recursive: true });
      await reEncrypt(dataDir, { from: FIRST, to: SECOND });
      // What a death in the middle of the copy leaves: a part of the new file, and the old one in use.
      const next = join(dataDir, 'encrypting');
      const old = folder(`old-${changes}`);
      cpSync(folder('sealed'), old, { recursive: true });
      cpSync(dataDir, join(old, 'encrypting'), { recursive: true });
      const part = openEnvironment(join(old, 'encrypting'), { encryption: SECOND });
      part.root.transactionSync(() => {
        for (const at of [...part.data.getKeys({})].slice(1_000)) part.data.removeSync(at);
        for (const at of [...part.catalogBytes.getKeys({})]) part.catalogBytes.removeSync(at);
      });
      await part.close();
      const source = openEnvironment(old, { encryption: FIRST });
      const { lastTxnId } = source.root.getStats() as { lastTxnId: number };
      await source.close();
      writeFileSync(join(old, 'encrypting', 'source.json'), JSON.stringify({ transaction: lastTxnId }));
      if (changes) {
        await withClient(await startInThread({ dataDir: old, encryption: SECOND }), async (client) => {
          await client
            .db('clinic')
            .collection('notes')
            .updateOne({ n: 1 }, { $set: { seen: true } });
        });
      }
      expect(await reEncrypt(old, { from: SECOND, to: SECOND })).toBe(!changes);
      expect(existsSync(next)).toBe(false);
      expect(await contentOf(old, SECOND)).toEqual(WHOLE);
    }
  });

  it('is finished by the next start when it died before the new files were in place', async () => {
    const dataDir = folder('half');
    cpSync(folder('plain'), dataDir, { recursive: true });
    cpSync(folder('encrypted'), join(dataDir, 'encrypting'), { recursive: true });
    writeFileSync(join(dataDir, 'encrypting', 'complete'), '');
    expect(isEncrypted(dataDir)).toBe(true);
    expect(await contentOf(dataDir, FIRST)).toEqual(WHOLE);
    expect(existsSync(join(dataDir, 'encrypting'))).toBe(false);
    expect(filesWithMarker(dataDir)).toEqual([]);
  });
});

describe('a data cipher', () => {
  const cipher = new DataCipher(FIRST);
  const place = Buffer.from('data\0k');

  it('opens what it sealed, in its place alone and unchanged alone', () => {
    const sealed = cipher.seal(place, Buffer.from('text'));
    expect(cipher.open(place, sealed).toString()).toBe('text');
    expect(() => cipher.open(Buffer.from('data\0j'), sealed)).toThrow(/another place/);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => cipher.open(place, changed)).toThrow();
    }
    expect(() => cipher.open(place, sealed.subarray(0, SEAL_BYTES - 1))).toThrow(/too short/);
  });

  it('never seals two values alike', () => {
    const seen = new Set(Array.from({ length: 2_000 }, () => cipher.seal(place, Buffer.alloc(4)).toString('hex')));
    expect(seen.size).toBe(2_000);
  });

  it.each([
    ['a short key', { current: 1, keys: { 1: 'ab' } }],
    ['a missing current key', { current: 2, keys: FIRST.keys }],
    ['a version that is no number', { current: 1, keys: { ...FIRST.keys, x: key() } }],
  ])('refuses %s', (_, encryption) => {
    expect(() => new DataCipher(encryption)).toThrow();
  });
});

import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { backUp, checkDatabase, isHalfRestored, restoreBackup } from '../../index.js';
import { type Running, startChild, startInThread } from '../../launch/launch.js';
import { failureOf, temporaryDirectory, until } from '../test-server.js';

interface Entry {
  _id: string;
  n: number;
  pad: string;
}

const INDEXES = [{ key: { n: 1 } }, { key: { pad: 1, n: -1 } }, { key: { n: 1, _id: 1 }, unique: true }];

/** Runs writers that insert, update and delete until `end`, and keeps the ids of acknowledged documents. */
function load(client: MongoClient) {
  const c = client.db('load').collection<Entry>('c');
  const acknowledged = new Set<string>();
  let ending = false;
  const writer = async (name: number) => {
    for (let n = 0; !ending; n++) {
      const _id = `${name}-${n}`;
      await c.insertOne({ _id, n: (n * 7_919 + name) % 10_007, pad: 'x'.repeat((n * 31) % 1_500) });
      acknowledged.add(_id);
      if (n % 3 === 0) await c.updateOne({ _id }, { $set: { pad: 'y'.repeat((n * 17) % 6_000) } });
      if (n % 7 === 0) {
        acknowledged.delete(_id);
        await c.deleteOne({ _id });
      }
    }
  };
  const ended = Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
  return {
    acknowledged,
    end: async () => {
      ending = true;
      await ended;
    },
  };
}

async function idsIn(dataDir: string): Promise<Set<string>> {
  const running = await startInThread({ dataDir });
  const client = await MongoClient.connect(running.uri);
  const ids = (await client.db('load').collection<Entry>('c').find().project({ _id: 1 }).toArray()).map(
    ({ _id }) => _id as string,
  );
  await client.close();
  await running.stop();
  return new Set(ids);
}

describe.each(['sync', 'async'] as const)('a backup under write load (%s commits)', (commitMode) => {
  const directory = temporaryDirectory();
  let running: Running;
  let client: MongoClient;
  beforeAll(async () => {
    running = await startChild({ dataDir: join(directory.path, 'data'), commitMode });
    client = await MongoClient.connect(running.uri);
    await client.db('load').collection('c').createIndexes(INDEXES);
  });
  afterAll(async () => {
    await client.close();
    await running.stop();
    directory.remove();
  });

  it('contains every write acknowledged before its start, with matching indexes', async () => {
    const writing = load(client);
    for (let round = 0; round < 2; round++) {
      await until(() => writing.acknowledged.size >= 200 * (round + 1));
      const before = new Set(writing.acknowledged);
      const target = join(directory.path, `backup-${round}`);
      const report = await backUp({ root: join(directory.path, 'data'), database: '', target });
      expect(report.whileRunning).toBe(true);
      // What a writer deleted meanwhile may be gone; it took it off the list before it asked for the deletion.
      const expected = [...before].filter((id) => writing.acknowledged.has(id));
      const restored = join(directory.path, `restored-${round}`);
      await restoreBackup({ backup: target, root: restored });
      expect(await checkDatabase(restored)).toMatchObject([{ namespace: 'load.c', indexes: 4, errors: [] }]);
      const ids = await idsIn(restored);
      expect(expected.filter((id) => !ids.has(id))).toEqual([]);
      expect(expected.length).toBeGreaterThan(100);
    }
    await writing.end();
  });
});

describe('a backup of a folder without a server', () => {
  const directory = temporaryDirectory();
  const root = join(directory.path, 'service');
  const backup = join(directory.path, 'backup');
  beforeAll(async () => {
    const running = await startInThread({ dataDir: join(root, 'db') });
    const client = await MongoClient.connect(running.uri);
    await client.db('load').collection('c').createIndexes(INDEXES);
    await client
      .db('load')
      .collection<Entry>('c')
      .insertMany(Array.from({ length: 500 }, (_, n) => ({ _id: `${n}`, n, pad: 'p' })));
    await client.close();
    await running.stop();
    writeFileSync(join(root, 'engine.json'), '{}');
    mkdirSync(join(root, 'keys'));
    writeFileSync(join(root, 'keys', 'master.key'), 'secret', { mode: 0o600 });
    chmodSync(join(root, 'keys', 'master.key'), 0o400);
    await backUp({ root, database: 'db', target: backup });
  });
  afterAll(() => directory.remove());

  /** A copy of the backup to damage. */
  async function damaged(name: string, damage: (folder: string) => void): Promise<string> {
    const copy = join(directory.path, name);
    await restoreBackup({ backup, root: copy });
    writeFileSync(join(copy, 'manifest.json'), readFileSync(join(backup, 'manifest.json')));
    damage(copy);
    return copy;
  }

  it('contains the other files of the folder with their permissions, and no files of the running server', () => {
    expect(readdirSync(backup).sort()).toEqual(['db', 'engine.json', 'keys', 'manifest.json']);
    expect(readdirSync(join(backup, 'db'))).toEqual(['data.mdb']);
    expect(statSync(join(backup, 'keys', 'master.key')).mode & 0o777).toBe(0o400);
    expect(statSync(backup).mode & 0o077).toBe(0);
    expect(statSync(join(backup, 'db', 'data.mdb')).mode & 0o077).toBe(0);
  });

  it('restores the same data', async () => {
    const restored = join(directory.path, 'restored');
    expect(await restoreBackup({ backup, root: restored })).toMatchObject({ movedTo: undefined });
    expect(readdirSync(restored).sort()).toEqual(['db', 'engine.json', 'keys']);
    expect(readFileSync(join(restored, 'keys', 'master.key'), 'utf8')).toBe('secret');
    expect(statSync(join(restored, 'keys', 'master.key')).mode & 0o777).toBe(0o400);
    expect((await idsIn(join(restored, 'db'))).size).toBe(500);
  });

  it.each<[string, RegExp, (folder: string) => void]>([
    ['a changed byte', /damaged/, (folder) => flipByte(join(folder, 'db', 'data.mdb'), 9_000)],
    ['a file cut short', /damaged/, (folder) => truncateSync(join(folder, 'db', 'data.mdb'), 8_192)],
    ['a missing file', /lacks keys\/master\.key/, (folder) => unlinkSync(join(folder, 'keys', 'master.key'))],
    ['a file more', /does not list/, (folder) => writeFileSync(join(folder, 'db', 'more'), 'x')],
    ['no manifest', /unfinished/, (folder) => unlinkSync(join(folder, 'manifest.json'))],
    ['an altered manifest', /manifest\.json is damaged/, (folder) => flipByte(join(folder, 'manifest.json'), 40)],
    ['a manifest cut short', /manifest\.json is damaged/, (folder) => truncateSync(join(folder, 'manifest.json'), 90)],
    [
      'a manifest of another format',
      /format 2/,
      (folder) => {
        const path = join(folder, 'manifest.json');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"format": 1', '"format": 2'));
      },
    ],
  ])('with %s is rejected without writing anything', async (name, text, damage) => {
    const copy = await damaged(`damaged ${name}`, damage);
    const root = join(directory.path, `from damaged ${name}`);
    const failure = await failureOf(restoreBackup({ backup: copy, root }));
    expect(failure).toMatchObject({ name: 'BackupError', message: expect.stringMatching(text) });
    expect(() => statSync(root)).toThrow('ENOENT');
  });

  it('restores only into an empty folder, or with force and without losing files', async () => {
    const root = join(directory.path, 'taken');
    mkdirSync(root);
    writeFileSync(join(root, 'precious'), 'old');
    expect(await failureOf(restoreBackup({ backup, root }))).toMatchObject({
      message: expect.stringMatching(/not empty.*--force/),
    });
    expect(readdirSync(root)).toEqual(['precious']);
    const { movedTo } = await restoreBackup({ backup, root, force: true });
    expect(readFileSync(join(movedTo ?? '', 'precious'), 'utf8')).toBe('old');
    expect((await idsIn(join(root, 'db'))).size).toBe(500);
  });

  it("rejects a running server's folder, the source folder and an existing backup as target", async () => {
    const running = await startInThread({ dataDir: join(root, 'db') });
    expect(await failureOf(restoreBackup({ backup, root, force: true }))).toMatchObject({
      message: expect.stringMatching(/in use by a running server: stop it first/),
    });
    await running.stop();
    const within = backUp({ root, database: 'db', target: join(root, 'backups', 'today') });
    expect(await failureOf(within)).toMatchObject({ message: expect.stringMatching(/lies within/) });
    expect(await failureOf(backUp({ root, database: 'db', target: backup }))).toMatchObject({
      message: expect.stringMatching(/not empty/),
    });
    const nothing = backUp({
      root: join(directory.path, 'nowhere'),
      database: 'db',
      target: join(directory.path, 'b'),
    });
    expect(await failureOf(nothing)).toMatchObject({ message: expect.stringMatching(/no database/) });
    expect(readdirSync(directory.path)).not.toContain('b');
  });

  it('detects an interrupted restore by its mark', async () => {
    const root = join(directory.path, 'half');
    mkdirSync(join(root, '.restoring-12345678'), { recursive: true });
    expect(await isHalfRestored(root)).toBe(true);
    await restoreBackup({ backup, root, force: true });
    expect(await isHalfRestored(root)).toBe(false);
  });
});

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x20;
  unlinkSync(path);
  appendFileSync(path, bytes);
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startChild, startInThread } from '../../launch/launch.js';
import { startServer } from '../../server/server.js';
import { REAL_SYSTEM } from '../../server/system.js';
import type { Environment } from '../../store/environment.js';
import { groupCommit } from '../../txn/group-commit.js';
import { failureOf, temporaryDirectory, until } from '../test-server.js';

const launch = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  'dist',
  'embedded-mongo',
  'launch',
  'launch.js',
);
const MODES = ['sync', 'async', 'auto'] as const;
type Mode = (typeof MODES)[number];

/** Starts a server in a process with a file size limit. It imitates a full disk and needs no privileges. */
async function startLimited(dataDir: string, commitMode: Mode, limitBytes?: number) {
  const script = `import { startChild } from ${JSON.stringify(launch)};
    const running = await startChild({ dataDir: ${JSON.stringify(dataDir)}, commitMode: '${commitMode}',
      onExit: (reason) => process.stdout.write('ended ' + reason + '\\n') });
    process.stdout.write(running.uri + '\\n');
    process.stdin.once('data', async () => { await running.stop(); process.exit(); });`;
  // A shell started as sh counts file sizes in blocks of 512 bytes.
  const limit = limitBytes === undefined ? '' : `ulimit -f ${limitBytes / 512} && `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" --input-type=module -e "$1"`, process.execPath, script], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const [uri] = (await once(reader, 'line')) as [string];
  return {
    uri,
    /** That the server ended by itself, if it did. */
    ended: () => lines.find((line) => line.startsWith('ended')),
    said: () => said,
    stop: async () => {
      child.stdin.write('\n');
      await once(child, 'exit');
    },
  };
}

interface Entry {
  _id: number;
  n: number;
  pad: string;
}

/** Eight writers insert until the server ends. Returns the acknowledged ids. */
async function fill(client: MongoClient): Promise<Set<number>> {
  const c = client.db('disk').collection<Entry>('c');
  const acknowledged = new Set<number>();
  const writer = async (w: number) => {
    for (let n = 0; ; n++) {
      const _id = w * 1_000_000 + n;
      await c.insertOne({ _id, n: (n * 7_919) % 1_009, pad: 'x'.repeat(2_000) });
      acknowledged.add(_id);
    }
  };
  await Promise.allSettled(Array.from({ length: 8 }, (_, w) => writer(w)));
  return acknowledged;
}

/** The code a write fails with; undefined when it does not. */
async function outcomeOf(write: Promise<unknown>): Promise<unknown> {
  return write.then(
    () => undefined,
    (error: { code?: unknown }) => error.code,
  );
}

async function missing(client: MongoClient, acknowledged: ReadonlySet<number>): Promise<number[]> {
  const found = await client.db('disk').collection<Entry>('c').find().project({ _id: 1 }).toArray();
  const ids = new Set(found.map(({ _id }) => _id as number));
  return [...acknowledged].filter((id) => !ids.has(id));
}

describe('a full disk', () => {
  it('rejects writes with 14031 while reads continue, and accepts them again when there is space', async () => {
    const directory = temporaryDirectory();
    const room = { freeBytes: 1024 ** 4, totalBytes: 1024 ** 4 };
    const system = { ...REAL_SYSTEM, diskRoom: () => room };
    const server = await startServer({ dataDir: directory.path, socketPath: join(directory.path, 'db.sock'), system });
    const client = await MongoClient.connect(`mongodb://${encodeURIComponent(server.socketPath)}/`);
    const c = client.db('disk').collection<{ _id: number }>('c');
    await c.insertOne({ _id: 1 });
    room.freeBytes = 100 * 1024 ** 2;
    // The last look at the disk holds for a moment.
    await until(async () => (await outcomeOf(c.updateOne({ _id: 1 }, { $inc: { n: 1 } }))) === 14_031);
    for (const write of [c.insertOne({ _id: 2 }), client.db('disk').createCollection('d')]) {
      expect(await failureOf(write)).toMatchObject({
        code: 14_031,
        codeName: 'OutOfDiskSpace',
        message: expect.stringMatching(/only 100 MiB are free .* writes need 128: free some space/),
      });
    }
    expect(await c.countDocuments()).toBe(1);
    room.freeBytes = 1024 ** 3;
    await c.insertOne({ _id: 2 });
    expect(await client.db('disk').command({ validate: 'c' })).toMatchObject({ valid: true });
    await client.close();
    await server.close();
    directory.remove();
  });

  it.each(MODES)(
    'a write that fails all the same ends the server, and nothing acknowledged is lost (%s)',
    async (mode) => {
      const directory = temporaryDirectory();
      const dataDir = join(directory.path, 'data');
      const server = await startLimited(dataDir, mode, 6 * 1024 ** 2);
      const client = await MongoClient.connect(server.uri, { retryWrites: false, serverSelectionTimeoutMS: 500 });
      await client.db('disk').collection('c').createIndex({ n: 1 });
      const acknowledged = await fill(client);
      await client.close();
      await until(() => server.ended() !== undefined);
      expect(server.said()).toMatch(/a write to .* failed .* everything it acknowledged on disk/);
      await server.stop();
      expect(acknowledged.size).toBeGreaterThan(100);

      const roomy = await startInThread({ dataDir });
      const reader = await MongoClient.connect(roomy.uri);
      expect(await missing(reader, acknowledged)).toEqual([]);
      expect(await reader.db('disk').command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
      await reader.close();
      await roomy.stop();
      directory.remove();
    },
  );
});

/** Mounts a small file system in memory, which needs the rights of root. */
const canMount = (() => {
  const probe = temporaryDirectory();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe.path], { stdio: 'ignore' });
  if (status === 0) spawnSync('umount', [probe.path]);
  probe.remove();
  return status === 0;
})();

describe('a disk below the reserve', () => {
  it('accepts deletes, drops and removals, so that a client can free space', async () => {
    const directory = temporaryDirectory();
    const room = { freeBytes: 1024 ** 4, totalBytes: 1024 ** 4 };
    const system = { ...REAL_SYSTEM, diskRoom: () => room };
    const server = await startServer({ dataDir: directory.path, socketPath: join(directory.path, 'db.sock'), system });
    const client = await MongoClient.connect(`mongodb://${encodeURIComponent(server.socketPath)}/`);
    const db = client.db('disk');
    const c = db.collection<{ _id: number }>('c');
    await c.insertMany([1, 2, 3, 4].map((_id) => ({ _id })));
    await c.createIndex({ n: 1 });
    await db.createCollection('dropped');
    room.freeBytes = 3 * 1024 ** 2;
    // The last look at the disk holds for a moment, so the first of these may succeed.
    await until(async () => (await outcomeOf(c.updateOne({ _id: 1 }, { $inc: { n: 1 } }))) === 14_031);
    expect(await c.deleteOne({ _id: 1 })).toMatchObject({ deletedCount: 1 });
    expect(await c.findOneAndDelete({ _id: 2 })).toMatchObject({ _id: 2 });
    expect(
      await client.bulkWrite([{ namespace: 'disk.c', name: 'deleteMany', filter: { _id: { $in: [3] } as never } }]),
    ).toMatchObject({
      deletedCount: 1,
    });
    await c.dropIndex('n_1');
    await db.collection('dropped').drop();
    expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true });
    room.freeBytes = 1024 ** 2;
    expect(await failureOf(c.deleteOne({ _id: 4 }))).toMatchObject({
      code: 14_031,
      message: expect.stringMatching(/deletes need 2/),
    });
    expect(await c.countDocuments()).toBe(1);
    await client.close();
    await server.close();
    directory.remove();
  });

  (canMount ? it : it.skip)(
    `starts for reading and deleting with no byte free${canMount ? '' : ' [skipped: mounting a tmpfs needs root]'}`,
    async () => {
      const directory = temporaryDirectory();
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', directory.path]);
      try {
        const dataDir = join(directory.path, 'data');
        const before = await startChild({ dataDir });
        const writer = await MongoClient.connect(before.uri);
        const c = writer.db('disk').collection<Entry>('c');
        await c.createIndex({ n: 1 });
        for (let lot = 0; lot < 10; lot += 1)
          await c.insertMany(
            Array.from({ length: 400 }, (_, n) => ({ _id: lot * 400 + n, n, pad: 'x'.repeat(4_000) })),
          );
        await writer.close();
        if (before.pid === undefined) throw new Error('the child has no pid');
        process.kill(before.pid, 'SIGKILL');
        await until(() => !existsSync(before.socketPath));
        fillDisk(join(directory.path, 'filler'));
        const full = await startChild({ dataDir });
        const reader = await MongoClient.connect(full.uri, { retryWrites: false });
        const again = reader.db('disk').collection<Entry>('c');
        expect(await again.countDocuments({ pad: /^x/ })).toBe(4_000);
        expect(await failureOf(again.insertOne({ _id: -1, n: 0, pad: '' }))).toMatchObject({ code: 14_031 });
        expect(await again.deleteMany({ _id: { $lt: 3_000 } })).toMatchObject({ deletedCount: 3_000 });
        expect(await reader.db('disk').command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
        await reader.close();
        await full.stop();
      } finally {
        spawnSync('umount', [directory.path]);
        directory.remove();
      }
    },
  );
});

/** Writes until the file system has no byte left. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  for (let sizeBytes = 1024 ** 2; sizeBytes >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(sizeBytes, 1));
    } catch {
      sizeBytes = Math.floor(sizeBytes / 2);
    }
  }
  closeSync(file);
}

describe('a full memory map', () => {
  it('grows while writing', async () => {
    const directory = temporaryDirectory();
    const running = await startInThread({ dataDir: directory.path, mapSizeBytes: 1024 ** 2 });
    const client = await MongoClient.connect(running.uri);
    const c = client.db('map').collection<{ _id: number; pad: string }>('c');
    for (let batch = 0; batch < 20; batch++) {
      await c.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: batch * 100 + n, pad: 'x'.repeat(4_000) })));
      expect(await c.countDocuments()).toBe((batch + 1) * 100);
    }
    expect(await client.db('map').command({ validate: 'c' })).toMatchObject({ valid: true });
    await client.close();
    await running.stop();
    directory.remove();
  });
});

/** An environment that fails every commit with the given code. */
function failing(code: number, visible: boolean): Environment {
  const root = {
    getWriteTxnId: () => 7,
    getStats: () => ({ lastTxnId: visible ? 7 : 6 }),
    transactionSync: (work: () => unknown) => {
      work();
      throw Object.assign(new Error('failed'), { code });
    },
  };
  return { root } as unknown as Environment;
}

describe('a commit with a failed flush', () => {
  it.each([
    ['a rolled-back commit fails only its writes', false, 0],
    ['one that can be seen ends the server', true, 1],
  ])('%s', async (_name, visible, ends) => {
    const reasons: string[] = [];
    const system = { monotonicMs: () => 0, giveUp: (reason: string) => void reasons.push(reason) };
    const commit = groupCommit(failing(5, visible), 'sync', system);
    expect(await failureOf(commit(() => undefined, false))).toMatchObject({ code: 5 });
    expect(reasons).toHaveLength(ends);
  });
});

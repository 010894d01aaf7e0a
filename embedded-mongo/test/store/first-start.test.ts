import { existsSync, mkdirSync, readFileSync, truncateSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startChild, startInThread } from '../../launch/launch.js';
import { checkDataFile, openEnvironment } from '../../store/environment.js';
import { finishFirstStart, markFirstStart } from '../../store/first-start.js';
import { failureOf, temporaryDirectory } from '../test-server.js';

const PAGE_BYTES = 4_096;
const ROUNDS = Number(process.env['EMBEDDED_MONGO_FIRST_START_ROUNDS'] ?? 5);
const directory = temporaryDirectory();
/** The file that LMDB has made when the process dies before it stored anything. */
let fresh: Buffer;

beforeAll(async () => {
  const dataDir = join(directory.path, 'fresh');
  mkdirSync(dataDir);
  await openEnvironment(dataDir).close();
  fresh = readFileSync(join(dataDir, 'data.mdb'));
});
afterAll(() => directory.remove());

function folderWith(name: string, file: Buffer): string {
  const dataDir = join(directory.path, name);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'data.mdb'), file);
  return dataDir;
}

/** Starts, stores one document, and reads it after a restart. */
async function storesAcrossRestart(dataDir: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const isFirst of [true, false]) {
    const running = await startInThread({ dataDir });
    const client = await MongoClient.connect(running.uri);
    const c = client.db('first').collection<{ _id: number }>('c');
    if (isFirst) await c.insertOne({ _id: 1 });
    else found.push(...(await c.find().toArray()));
    await client.close();
    await running.stop();
  }
  return found;
}

/** The file with its newest root on a page that was never written. */
function withRootBeyondEnd(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  for (const meta of [0, PAGE_BYTES]) copy.writeBigUInt64LE(9_999n, meta + 136);
  return copy;
}

const STATES: readonly (readonly [name: string, file: () => Buffer])[] = [
  ['empty', () => Buffer.alloc(0)],
  ['cut within the first page', () => fresh.subarray(0, 100)],
  ['cut after the first page', () => fresh.subarray(0, PAGE_BYTES)],
  ['cut within the second page', () => fresh.subarray(0, 2 * PAGE_BYTES - 1)],
  ['zeroed', () => Buffer.alloc(fresh.length)],
  ['zeroed after the first page', () => Buffer.concat([fresh.subarray(0, PAGE_BYTES), Buffer.alloc(3 * PAGE_BYTES)])],
  [
    'zeroed after both meta pages',
    () => Buffer.concat([fresh.subarray(0, 2 * PAGE_BYTES), Buffer.alloc(3 * PAGE_BYTES)]),
  ],
  ['without the page of its root', () => withRootBeyondEnd(fresh)],
];

describe('a first start that did not finish', () => {
  it.each(STATES)('begins again when the data file is %s', async (name, file) => {
    const dataDir = folderWith(`marked ${name}`, file());
    markFirstStart(dataDir);
    expect(await storesAcrossRestart(dataDir)).toEqual([{ _id: 1 }]);
  });

  it.each(STATES.slice(0, 6))('is not assumed without its mark: a data file that is %s is rejected', (name, file) => {
    const dataDir = folderWith(`unmarked ${name}`, file());
    const before = readFileSync(join(dataDir, 'data.mdb'));
    expect(() => checkDataFile(dataDir)).toThrow(/is damaged/);
    expect(readFileSync(join(dataDir, 'data.mdb')).equals(before)).toBe(true);
  });

  it('never sets a file aside that holds more than a first transaction', async () => {
    const dataDir = folderWith('large', fresh);
    truncateSync(join(dataDir, 'data.mdb'), 1024 ** 2 + 1);
    markFirstStart(dataDir);
    expect(checkDataFile(dataDir)).not.toBe('new');
    expect(existsSync(join(dataDir, 'data.mdb'))).toBe(true);
  });

  it('leaves no mark on a served folder, so that later damage is rejected', async () => {
    const dataDir = join(directory.path, 'served');
    const running = await startInThread({ dataDir });
    expect(existsSync(join(dataDir, 'unfinished-start'))).toBe(false);
    await running.stop();
    truncateSync(join(dataDir, 'data.mdb'), 0);
    expect(await failureOf(startInThread({ dataDir }))).toMatchObject({ fault: 'damaged' });
  });

  it('finishes without a mark when there is none', () => {
    const dataDir = folderWith('none', fresh);
    expect(() => finishFirstStart(dataDir)).not.toThrow();
  });

  it('opens after each SIGKILL that follows the first files of the folder', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const dataDir = join(directory.path, `killed ${round}`);
      mkdirSync(dataDir);
      await killAtNthChange(dataDir, 1 + (round % 12));
      expect(await storesAcrossRestart(dataDir)).toEqual([{ _id: 1 }]);
    }
  });
});

/** Starts a child on the folder and kills it at the nth change of a name or a file in it. */
async function killAtNthChange(dataDir: string, nth: number): Promise<void> {
  let changes = 0;
  const owner = join(dataDir, 'owner.json');
  const watcher = watch(dataDir, () => {
    changes += 1;
    if (changes >= nth) kill(owner);
  });
  const outcome = await startChild({ dataDir }).catch((error: unknown) => error);
  watcher.close();
  if (outcome instanceof Error) expect(outcome.message).toMatch(/ended while starting \(SIGKILL\)/);
  else await (outcome as Awaited<ReturnType<typeof startChild>>).stop();
}

/** The owner file names the process of the server. */
function kill(owner: string): void {
  if (!existsSync(owner)) return;
  const [pid] = /\d+/.exec(/"pid":\s*\d+/.exec(readFileSync(owner, 'utf8'))?.[0] ?? '') ?? [];
  if (pid === undefined) return;
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

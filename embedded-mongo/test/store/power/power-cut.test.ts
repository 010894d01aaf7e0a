import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startInThread } from '../../../launch/launch.js';
import { seeded } from '../../seeded.js';
import { temporaryDirectory, until } from '../../test-server.js';
import { imageAfterCut, readJournal, type Survives } from './disk-image.js';
import {
  COMMIT_MODES,
  type CommitMode,
  compileRecorder,
  type Entry,
  startRecorded,
  stored,
} from './recorded-server.js';

/**
 * A power cut keeps every flushed write and any part of the others. The test records the writes of a server under load,
 * builds the file that a cut at many moments may leave, opens it, and reads all writes acknowledged before the cut.
 */
const CUTS = Number(process.env['EMBEDDED_MONGO_POWER_CUTS'] ?? 8);
const WRITES = Number(process.env['EMBEDDED_MONGO_POWER_WRITES'] ?? 150);
const SEED = Number(process.env['EMBEDDED_MONGO_POWER_SEED'] ?? 20_260_302);
const WRITERS = 8;
const recorder = compileRecorder();

afterAll(() => recorder?.remove());

interface Acknowledged {
  readonly id: number;
  readonly n: number;
  /** The length of the journal when the client had the reply. */
  readonly journalBytes: number;
}

async function load(uri: string, journal: string): Promise<Acknowledged[]> {
  const client = await MongoClient.connect(uri, { maxPoolSize: WRITERS });
  const c = client.db('power').collection<Entry>('c');
  await c.createIndexes([{ key: { n: 1 } }, { key: { n: -1, pad: 1 } }]);
  const acknowledged: Acknowledged[] = [];
  const write = async (writer: number) => {
    for (let k = 0; k * WRITERS < WRITES; k++) {
      const id = writer * 100_000 + k;
      await c.insertOne({ _id: id, n: 1, pad: 'x'.repeat(200 + ((k * 791) % 5_000)) });
      acknowledged.push({ id, n: 1, journalBytes: statSync(journal).size });
      await c.updateOne({ _id: id }, { $set: { n: 2, pad: 'y'.repeat((k * 131) % 3_000) } });
      acknowledged.push({ id, n: 2, journalBytes: statSync(journal).size });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await client.close();
  return acknowledged;
}

/** The sectors that survive: none, all, or some. */
function survivors(random: () => number): Survives {
  const share = [0, 1, 0.5, 0.95, 0.05][Math.floor(random() * 5)] ?? 0;
  return () => random() < share;
}

async function lostAfterCut(dataDir: string, acknowledged: readonly Acknowledged[]): Promise<unknown[]> {
  const running = await startInThread({ dataDir });
  const { values, valid } = await stored(running.uri);
  await running.stop();
  const newest = new Map(acknowledged.map(({ id, n }) => [id, n]));
  const lost = [...newest].filter(([id, n]) => (values.get(id) ?? 0) < n);
  return valid === true ? lost : [['not valid', valid], ...lost];
}

async function cutOften(commitMode: CommitMode, library: string): Promise<{ cuts: number; lost: unknown[] }> {
  const directory = temporaryDirectory();
  const [dataDir, journal] = [join(directory.path, 'data'), join(directory.path, 'journal')];
  const server = await startRecorded({ recorder: library, dataDir, commitMode, journal });
  if (!server) throw new Error('the recorded server did not start');
  const acknowledged = await load(server.uri, journal);
  await until(() => acknowledged.length > 0);
  await server.kill();
  const records = readJournal(readFileSync(journal));
  const random = seeded(SEED);
  const lost: unknown[] = [];
  // Before the first acknowledgement the file may hold no database.
  const first = records.findIndex(({ end }) => end >= (acknowledged[0]?.journalBytes ?? 0));
  for (let cut = 0; cut < CUTS; cut++) {
    const last = first + Math.floor(random() * (records.length - first));
    const before = records.slice(0, last + 1);
    const end = before.at(-1)?.end ?? 0;
    const folder = join(directory.path, `cut-${cut}`);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'data.mdb'), imageAfterCut(before, survivors(random)), { mode: 0o600 });
    const due = acknowledged.filter(({ journalBytes }) => journalBytes <= end);
    lost.push(...(await lostAfterCut(folder, due)).map((one) => ({ cut, last, one })));
  }
  directory.remove();
  return { cuts: CUTS, lost };
}

describe('a power cut', () => {
  for (const commitMode of COMMIT_MODES) {
    const name = `loses nothing acknowledged, wherever it falls (${CUTS} cuts, ${commitMode} commits)`;
    if (!recorder) it.skip(`${name} [skipped: needs Linux and a C compiler]`, () => undefined);
    else
      it(name, async () => {
        expect(await cutOften(commitMode, recorder.path)).toEqual({ cuts: CUTS, lost: [] });
      }, 3_600_000);
  }

  it('loses a write without a flush in the image that the test builds, so that the test can fail', () => {
    const bytes = Buffer.from('written');
    const write = { kind: 'W', number: 0, bytes, end: 20 };
    const flush = [
      { kind: 'B', number: 1, bytes: Buffer.alloc(0), end: 33 },
      { kind: 'E', number: 1, bytes: Buffer.alloc(0), end: 46 },
    ];
    const nothing = () => false;
    expect(imageAfterCut([write], nothing)).toHaveLength(0);
    expect(imageAfterCut([write, ...flush], nothing).toString()).toBe('written');
  });
});

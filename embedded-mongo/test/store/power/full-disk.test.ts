import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startInThread } from '../../../launch/launch.js';
import { temporaryDirectory, until } from '../../test-server.js';
import {
  COMMIT_MODES,
  type CommitMode,
  compileRecorder,
  type Entry,
  startRecorded,
  stored,
} from './recorded-server.js';

/** The disk is full from the first write, from the second, and so on: each may hit another step of a commit. */
const LAST = Number(process.env['EMBEDDED_MONGO_FULL_DISK_WRITES'] ?? 18);
const recorder = compileRecorder();

afterAll(() => recorder?.remove());

/** Writes until the server ends. Returns the newest acknowledged value of each id. */
async function writeUntilEnd(uri: string): Promise<Map<number, number>> {
  const client = new MongoClient(uri, { retryWrites: false });
  const c = client.db('power').collection<Entry>('c');
  const acknowledged = new Map<number, number>();
  try {
    await c.createIndex({ n: 1 });
    for (let _id = 0; ; _id++) {
      await c.insertOne({ _id, n: 1, pad: 'x'.repeat(3_000) });
      acknowledged.set(_id, 1);
      await c.updateOne({ _id }, { $set: { n: 2 } });
      acknowledged.set(_id, 2);
    }
  } catch {
    // The server ends with the first write that fails.
  }
  await client.close();
  return acknowledged;
}

async function fillUp(commitMode: CommitMode, library: string, writesAllowed: number): Promise<unknown[]> {
  const directory = temporaryDirectory();
  const dataDir = join(directory.path, 'data');
  const server = await startRecorded({ recorder: library, dataDir, commitMode, writesAllowed });
  const acknowledged = server ? await writeUntilEnd(server.uri) : new Map<number, number>();
  if (server) await until(() => server.hasEnded());
  const roomy = await startInThread({ dataDir });
  const { values, valid } = await stored(roomy.uri);
  await roomy.stop();
  directory.remove();
  const lost = [...acknowledged].filter(([id, n]) => (values.get(id) ?? 0) < n);
  return valid === true ? lost : [['not valid', valid], ...lost];
}

describe('a disk that fills up', () => {
  for (const commitMode of COMMIT_MODES) {
    const name = `loses nothing acknowledged at any of the first ${LAST} writes to it (${commitMode} commits)`;
    if (!recorder) it.skip(`${name} [skipped: needs Linux and a C compiler]`, () => undefined);
    else
      it(name, async () => {
        const lost: unknown[] = [];
        for (let allowed = 0; allowed < LAST; allowed++)
          lost.push(...(await fillUp(commitMode, recorder.path, allowed)).map((one) => ({ allowed, one })));
        expect(lost).toEqual([]);
      }, 3_600_000);
  }
});

import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { type Running, startChild } from '../../launch/launch.js';
import { seeded } from '../seeded.js';
import { temporaryDirectory, until } from '../test-server.js';

const rounds = Number(process.env['EMBEDDED_MONGO_CRASH_ROUNDS'] ?? 2);
const mostWritesPerRound = Number(process.env['EMBEDDED_MONGO_CRASH_WRITES'] ?? 600);
const seed = Number(process.env['EMBEDDED_MONGO_CRASH_SEED'] ?? 1);
const WRITERS = 32;
/** Long enough for a machine with many other processes. */
const ROUND_DEADLINE_MS = 300_000;

interface Entry {
  _id: string;
  n: number;
  pad: string;
}

/** Writes until the client closes, and keeps the acknowledged writes. */
async function writeUntilClosed(client: MongoClient, round: number, acknowledged: Map<string, number>): Promise<void> {
  const c = client.db('crash').collection<Entry>('c');
  const write = async (writer: number) => {
    for (let n = 0; ; n++) {
      const _id = `${round}-${writer}-${n}`;
      const first = (n * 7_919 + writer) % 10_007;
      await c.insertOne({ _id, n: first, pad: 'x'.repeat(200 + (n % 900)) });
      acknowledged.set(_id, first);
      if (n % 5 !== 4) continue;
      // Until it is answered, either value may be the stored one.
      acknowledged.set(_id, Number.NaN);
      await c.updateOne({ _id }, { $set: { n: -n } });
      acknowledged.set(_id, -n);
    }
  };
  await Promise.allSettled(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
}

/** Kills the server while 32 writers write, after at least `writes` acknowledged documents. */
async function killUnderLoad(running: Running, round: number, writes: number, acknowledged: Map<string, number>) {
  const before = acknowledged.size;
  const client = new MongoClient(running.uri, {
    maxPoolSize: WRITERS,
    retryWrites: false,
    serverSelectionTimeoutMS: 5_000,
  });
  const writing = writeUntilClosed(client, round, acknowledged);
  await until(() => acknowledged.size - before >= writes, ROUND_DEADLINE_MS);
  running.kill();
  // The dead server ends the writes under way. The closed client ends those that wait for a server.
  await client.close();
  await writing;
}

/** @returns the acknowledged writes that the server does not return */
async function lostWrites(running: Running, acknowledged: Map<string, number>): Promise<unknown[]> {
  const client = await MongoClient.connect(running.uri);
  const db = client.db('crash');
  expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
  const stored = new Map((await db.collection<Entry>('c').find().toArray()).map(({ _id, n }) => [_id, n]));
  // A close after the next kill would wait for the dead server.
  await client.close();
  return [...acknowledged].filter(([id, n]) => !stored.has(id) || (!Number.isNaN(n) && stored.get(id) !== n));
}

async function createIndexes(running: Running): Promise<void> {
  const client = await MongoClient.connect(running.uri);
  await client
    .db('crash')
    .collection('c')
    .createIndexes([{ key: { n: 1 } }, { key: { n: -1, pad: 1 } }]);
  await client.close();
}

describe('SIGKILL under 32 writers', () => {
  it.each(['sync', 'async'] as const)(
    'nothing acknowledged is lost, and records and indexes agree (%s commits)',
    async (commitMode) => {
      const directory = temporaryDirectory();
      const acknowledged = new Map<string, number>();
      const random = seeded(seed);
      let kills = 0;
      let running = await startChild({ dataDir: directory.path, commitMode });
      await createIndexes(running);
      for (; kills < rounds; kills++) {
        // From the first write on, so that a kill also meets a server that has just started.
        const writes = 1 + Math.floor(random() * mostWritesPerRound);
        await killUnderLoad(running, kills, writes, acknowledged);
        running = await startChild({ dataDir: directory.path, commitMode });
        expect(await lostWrites(running, acknowledged)).toEqual([]);
      }
      await running.stop();
      directory.remove();
      process.stdout.write(
        `${commitMode}, seed ${seed}: ${kills} kills, ${acknowledged.size} acknowledged writes, 0 lost\n`,
      );
      expect(acknowledged.size).toBeGreaterThanOrEqual(rounds);
    },
    Math.max(30, rounds) * 60_000,
  );
});

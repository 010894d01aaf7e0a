import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startChild } from '../../launch/launch.js';
import { temporaryDirectory, until } from '../test-server.js';

const rounds = Number(process.env['EMBEDDED_MONGO_CRASH_ROUNDS'] ?? 1);
const acknowledgedPerRound = Number(process.env['EMBEDDED_MONGO_CRASH_WRITES'] ?? 600);
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

describe('SIGKILL under 32 writers', () => {
  it.each(['sync', 'async'] as const)(
    'nothing acknowledged is lost, and records and indexes agree (%s commits)',
    async (commitMode) => {
      const directory = temporaryDirectory();
      const acknowledged = new Map<string, number>();
      for (let round = 0; round < rounds; round++) {
        const running = await startChild({ dataDir: directory.path, commitMode });
        const client = await MongoClient.connect(running.uri);
        await client
          .db('crash')
          .collection('c')
          .createIndexes([{ key: { n: 1 } }, { key: { n: -1, pad: 1 } }]);
        // A close after the kill would wait for the dead server.
        await client.close();
        const before = acknowledged.size;
        const writer = new MongoClient(running.uri, {
          maxPoolSize: WRITERS,
          retryWrites: false,
          serverSelectionTimeoutMS: 5_000,
        });
        const writing = writeUntilClosed(writer, round, acknowledged);
        await until(() => acknowledged.size - before >= acknowledgedPerRound, ROUND_DEADLINE_MS);
        running.kill();
        // The dead server ends the writes under way. The closed client ends those that wait for a server.
        await writer.close();
        await writing;

        const reopened = await startChild({ dataDir: directory.path, commitMode });
        const reader = await MongoClient.connect(reopened.uri);
        const db = reader.db('crash');
        expect(await db.command({ validate: 'c' })).toMatchObject({ valid: true, errors: [] });
        const stored = new Map((await db.collection<Entry>('c').find().toArray()).map(({ _id, n }) => [_id, n]));
        const lost = [...acknowledged].filter(
          ([id, n]) => !stored.has(id) || (!Number.isNaN(n) && stored.get(id) !== n),
        );
        expect(lost).toEqual([]);
        await reader.close();
        await reopened.stop();
      }
      expect(acknowledged.size).toBeGreaterThanOrEqual(rounds * acknowledgedPerRound);
      directory.remove();
    },
    Math.max(30, rounds) * 60_000,
  );
});

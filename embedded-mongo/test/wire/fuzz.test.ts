import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startChild } from '../../launch/launch.js';
import { temporaryDirectory } from '../test-server.js';
import { fuzzFrame, type Random, seeded } from './frames.js';

const frames = Number(process.env['EMBEDDED_MONGO_FUZZ_FRAMES'] ?? 5_000);
const seed = Number(process.env['EMBEDDED_MONGO_FUZZ_SEED'] ?? 20_260_304);
const FRAMES_PER_CONNECTION = 20;
const CONNECTIONS_AT_ONCE = 10;
const CLOSE_DEADLINE_MS = 60_000;
const MOST_RESIDENT_BYTES = 900 * 1024 ** 2;

/** Sends frames over one connection; some clients wait for the end, some are gone before their answer. */
async function attack(socketPath: string, random: Random): Promise<void> {
  const socket = connect(socketPath);
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server neither answered nor closed')), CLOSE_DEADLINE_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.on('error', () => undefined);
  socket.resume();
  for (let n = 0; n < FRAMES_PER_CONNECTION; n++) socket.write(fuzzFrame(random));
  if (random(3) > 0) socket.end();
  else if (random(2) === 0) socket.destroy();
  else socket.once('data', () => socket.destroy()).end();
  await closed;
}

function residentBytes(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}

describe(`${frames} frames of seed ${seed}`, () => {
  it(
    'harm no other client, and the server keeps running in bounded memory',
    async () => {
      const directory = temporaryDirectory();
      let ended: string | undefined;
      const running = await startChild({ dataDir: join(directory.path, 'data'), onExit: (reason) => (ended = reason) });
      const client = await MongoClient.connect(running.uri);
      const healthy = client.db('healthy').collection<{ _id: number }>('c');
      const random = seeded(seed);
      const batches = Math.ceil(frames / FRAMES_PER_CONNECTION / CONNECTIONS_AT_ONCE);
      for (let batch = 0; batch < batches; batch++) {
        await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, () => attack(running.socketPath, random)));
        await healthy.insertOne({ _id: batch });
        expect(await healthy.countDocuments()).toBe(batch + 1);
        if (running.pid !== undefined && process.platform === 'linux') {
          expect(residentBytes(running.pid)).toBeLessThan(MOST_RESIDENT_BYTES);
        }
      }
      expect(ended).toBeUndefined();
      for (const db of ['healthy', 'fuzz']) {
        for (const { name } of await client.db(db).listCollections().toArray()) {
          expect(await client.db(db).command({ validate: name })).toMatchObject({ valid: true, errors: [] });
        }
      }
      await client.close();
      await running.stop();
      directory.remove();
    },
    30 * 60_000,
  );
});

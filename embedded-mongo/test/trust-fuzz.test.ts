import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startChild } from '../launch.js';
import { temporaryDirectory } from './server-support.js';
import { fuzzFrame, type Random, seeded } from './trust-frames.js';

const frames = Number(process.env['EMBEDDED_MONGO_FUZZ_FRAMES'] ?? 5_000);
const seed = Number(process.env['EMBEDDED_MONGO_FUZZ_SEED'] ?? 20_260_304);
const framesPerConnection = 20;
const connectionsAtOnce = 10;
const closeDeadlineMs = 60_000;
const mostResidentBytes = 900 * 1024 ** 2;

/** Sends frames over one connection; some clients wait for the end, some are gone before their answer. */
async function attack(socketPath: string, random: Random): Promise<void> {
  const socket = connect(socketPath);
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server neither answered nor closed')), closeDeadlineMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.on('error', () => undefined);
  socket.resume();
  for (let n = 0; n < framesPerConnection; n++) socket.write(fuzzFrame(random));
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
  test(
    'harm no other client, and the server keeps running in bounded memory',
    async () => {
      const directory = temporaryDirectory();
      let ended: string | undefined;
      const running = await startChild({ dataDir: join(directory.path, 'data'), onExit: (reason) => (ended = reason) });
      const client = await MongoClient.connect(running.uri);
      const healthy = client.db('healthy').collection<{ _id: number }>('c');
      const random = seeded(seed);
      const batches = Math.ceil(frames / framesPerConnection / connectionsAtOnce);
      for (let batch = 0; batch < batches; batch++) {
        await Promise.all(Array.from({ length: connectionsAtOnce }, () => attack(running.socketPath, random)));
        await healthy.insertOne({ _id: batch });
        expect(await healthy.countDocuments()).toBe(batch + 1);
        if (running.pid !== undefined && process.platform === 'linux') {
          expect(residentBytes(running.pid)).toBeLessThan(mostResidentBytes);
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

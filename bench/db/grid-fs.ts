import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GridFSBucket, MongoClient } from 'mongodb';
import { withCpu } from '../support/cpu.js';
import { describeRun, type Figure, timed } from '../support/measure.js';
import type { BenchServer } from './bench-server.js';
import { openRaw, type RawStore } from './raw-lmdb.js';

const FILE_BYTES = 64 * 1024 ** 2;
const MEGABYTE = 1e6;
/** Size of GridFSBucket's chunk; each chunk is a separate insert. */
const CHUNK_BYTES = 255 * 1024;
const ROUNDS = 5;

/**
 * Uploads and downloads one 64 MiB file of random bytes through the driver's GridFSBucket. Compares the upload with lmdb
 * alone and the same chunks, each durable before the next, as the driver requires.
 */
export async function benchGridFs(server: BenchServer): Promise<Figure[]> {
  const client = await MongoClient.connect(server.running.uri);
  const bucket = new GridFSBucket(client.db('bench'));
  const bytes = randomBytes(FILE_BYTES);
  const raw = openRaw(join(server.folder, 'raw-chunks'));
  const up: number[] = [];
  const down: number[] = [];
  const lines: { up: string[]; down: string[] } = { up: [], down: [] };
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const upload = bucket.openUploadStream(`file-${round}`);
      const sent = await withCpu(server.processes, () =>
        timed(1, 1, async () => {
          await pipeline(Readable.from(slices(bytes)), upload);
          return FILE_BYTES / MEGABYTE;
        }),
      );
      const received = await withCpu(server.processes, () =>
        timed(1, 1, async () => (await readAll(bucket.openDownloadStream(upload.id), bytes)) / MEGABYTE),
      );
      const bare = rawChunks(raw, bytes, round);
      await bucket.delete(upload.id);
      if (round < 0) continue;
      up.push(sent.run.perSecond);
      down.push(received.run.perSecond);
      lines.up.push(
        `${describeRun('GridFS up, a file of 64 MiB, MB as items', sent.run)}; ${sent.cpu.replace('event', 'MB')}`,
      );
      lines.up.push(`raw lmdb, one chunk a transaction: ${bare.toFixed(0)} MB/s`);
      lines.down.push(
        `${describeRun('GridFS down, MB as items', received.run)}; ${received.cpu.replace('event', 'MB')}`,
      );
    }
  } finally {
    await client.close();
    await raw.close();
  }
  return [
    { name: 'GridFS up', unit: 'MB/s', aim: 150, values: up, lines: lines.up },
    { name: 'GridFS down', unit: 'MB/s', aim: 300, values: down, lines: lines.down },
  ];
}

function rawChunks(raw: RawStore, bytes: Buffer, round: number): number {
  const begun = performance.now();
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    raw.commit([[{ key: Buffer.from(`${round + 1}-${at}`), value: bytes.subarray(at, at + CHUNK_BYTES) }]]);
  }
  return bytes.length / MEGABYTE / ((performance.now() - begun) / 1000);
}

function* slices(bytes: Buffer): Generator<Buffer> {
  const step = 1024 ** 2;
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

async function readAll(source: Readable, expected: Buffer): Promise<number> {
  let at = 0;
  await pipeline(
    source,
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        const same = chunk.equals(expected.subarray(at, at + chunk.length));
        at += chunk.length;
        done(same ? null : new Error('the file came back with other bytes'));
      },
    }),
  );
  if (at !== expected.length) throw new Error(`${at} of ${expected.length} bytes came back`);
  return at;
}

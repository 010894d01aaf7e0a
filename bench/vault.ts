import { randomBytes, randomFillSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Db, GridFSBucket } from 'mongodb';
import { systemClock } from '../shared/clock/clock.js';
import { configFrom } from '../shared/config/config.js';
import { connectDatabase } from '../shared/db/database.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import type { TenantId } from '../shared/ids/tenant.js';
import { createLogger } from '../shared/telemetry/logger.js';
import { openMongoWormStore } from '../shared/worm/open-worm-store.js';
import { withCpu } from './support/cpu.js';
import { atMost, describeRun, type Figure, type Ratio, type Results, ratioOf, timed } from './support/measure.js';
import { residentKb, restPeak } from './support/resident.js';
import { type Stack, startStack } from './support/stack.js';

const MIB = 1_048_576;
const LARGE_BYTES = 64 * MIB;
const ROUNDS = Number(process.env['VAULT_ROUNDS'] ?? 5);
const SMALL = 1_000;
const SMALL_BYTES = 10_240;
const CONNECTIONS = 32;
const LOOKUPS = 2_000;
const HUGE_MEGABYTES = Number(process.env['VAULT_HUGE_MEGABYTES'] ?? 1_024);
const BOUNDARY = 'eas-bench-boundary';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** Compares documents with the driver's GridFS bucket, with the same chunk size, on the same database in the same run. */
export async function benchVault(): Promise<Results> {
  const stack = await startStack();
  try {
    const bucket = new GridFSBucket(stack.raw.db('bench_raw') as unknown as Db, { chunkSizeBytes: MIB });
    const ratios = [...(await large(stack, bucket)), await small(stack, bucket)];
    return { ratios, figures: [await lookups(stack), await huge(stack)] };
  } finally {
    await stack.stop();
  }
}

async function large(stack: Stack, bucket: GridFSBucket): Promise<Ratio[]> {
  const uploads: [number, number][] = [];
  const downloads: [number, number][] = [];
  const content = randomBytes(LARGE_BYTES);
  // The first round compiles code and creates collections on both sides, and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    // A new content each time, because the same one would be stored once.
    randomFillSync(content, 0, 16);
    let documentId = '';
    let rawId: unknown;
    const ours = await seconds(async () => {
      const text = await stack.rest.post('/v1/documents', Readable.from(form(pieces(content))), FORM);
      documentId = (JSON.parse(text) as { document_id: string }).document_id;
    });
    await scansDone(stack);
    const raw = await seconds(async () => {
      const upload = bucket.openUploadStream('raw');
      rawId = upload.id;
      await pipeline(Readable.from(pieces(content)), upload);
    });
    const oursDown = await seconds(() => stack.rest.drain(`/v1/documents/${documentId}`));
    const rawDown = await seconds(async () => {
      for await (const _ of bucket.openDownloadStream(rawId as never));
    });
    if (round === 0) continue;
    uploads.push([64 / ours, 64 / raw]);
    downloads.push([64 / oursDown, 64 / rawDown]);
  }
  const line = (pairs: readonly (readonly [number, number])[]): string =>
    pairs.map(([ours, raw]) => `${ours.toFixed(0)} / ${raw.toFixed(0)} MiB/s`).join(', ');
  return [
    ratioOf('Upload of 64 MiB / raw GridFSBucket', 0.7, uploads, [line(uploads)]),
    ratioOf('Download of 64 MiB / raw GridFSBucket', 0.8, downloads, [line(downloads)]),
  ];
}

async function small(stack: Stack, bucket: GridFSBucket): Promise<Ratio> {
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { run: ours, cpu } = await withCpu(stack.processes, () =>
      timed(SMALL, CONNECTIONS, async () => {
        await stack.rest.post('/v1/documents', Buffer.concat([...form([randomBytes(SMALL_BYTES)])]), FORM);
        return 1;
      }),
    );
    await scansDone(stack);
    const { run: raw, cpu: rawCpu } = await withCpu(stack.processes, () =>
      timed(SMALL, CONNECTIONS, async () => {
        await pipeline(Readable.from([randomBytes(SMALL_BYTES)]), bucket.openUploadStream('raw'));
        return 1;
      }),
    );
    if (round === 0) continue;
    pairs.push([ours.perSecond, raw.perSecond]);
    lines.push(describeRun('documents', ours), cpu, describeRun('raw', raw), rawCpu);
  }
  return ratioOf('1,000 documents of 10 KiB, 32 at once / raw GridFSBucket', 0.5, pairs, lines);
}

/** Measures the time to find that content is already stored. */
async function lookups(stack: Stack): Promise<Figure> {
  const database = await connectDatabase(stack.uri);
  const clock = systemClock;
  const worm = await openMongoWormStore({
    database,
    clock,
    ids: ulidIds(() => clock.nowMs(), systemRandomness()),
    logger: createLogger('error'),
    limits: configFrom({}).worm,
  });
  try {
    const rows = await database.db
      .collection<{ sha256: string }>('documents')
      .find({}, { projection: { sha256: 1 } })
      .limit(LOOKUPS)
      .toArray();
    const tenant = worm.forTenant({ tenantId: stack.rest.tenantId as TenantId, logId: 'log_bench' });
    const run = await timed(LOOKUPS, 1, async (n) => {
      if ((await tenant.blobSize(rows[n % rows.length]?.sha256 ?? '')) === null) throw new Error('content is missing');
      return 1;
    });
    const lines = [`p99 ${run.p99Ms.toFixed(2)} ms among ${rows.length} contents`];
    return atMost('Look-up of known content', 'ms', 1, [run.p50Ms], lines);
  } finally {
    await worm.close();
    await database.close();
  }
}

async function huge(stack: Stack): Promise<Figure> {
  const pid = stack.processes['service'] ?? 0;
  const block = randomBytes(MIB);
  function* content(): Generator<Buffer> {
    for (let n = 0; n < HUGE_MEGABYTES; n++) {
      block.writeUInt32BE(n, 0);
      yield Buffer.from(block);
    }
  }
  await scansDone(stack);
  const before = await restPeak(pid);
  const took = await seconds(() => stack.rest.post('/v1/documents', Readable.from(form(content())), FORM));
  const growth = ((await residentKb(pid, 'VmHWM')) - before) / 1_024;
  return atMost(
    `One document of ${HUGE_MEGABYTES} MiB: growth of resident memory`,
    'MB',
    100,
    [growth],
    [`${took.toFixed(1)} s: ${(HUGE_MEGABYTES / took).toFixed(0)} MiB/s`],
  );
}

function* form(content: Iterable<Buffer>): Generator<Buffer> {
  yield Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  yield* content;
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

function* pieces(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1_000;
}

/** Scans run after the answer; the other side is measured when they are done. */
async function scansDone(stack: Stack): Promise<void> {
  const pending = { 'scan.status': 'PENDING' };
  while ((await stack.raw.db('eas').collection('documents').countDocuments(pending, { limit: 1 })) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

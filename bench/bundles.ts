import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Db, GridFSBucket } from 'mongodb';
import type { ArchiveEntry } from '../shared/zip/write-archive.js';
import { yazlOf } from '../test/support/yazl-archive.js';
import { atMost, type Ratio, type Results, ratioOf } from './support/measure.js';
import { residentKb, restPeak } from './support/resident.js';
import { type Stack, startStack } from './support/stack.js';

const MIB = 1_048_576;
const ROUNDS = Number(process.env['BUNDLE_ROUNDS'] ?? 5);
const MATTER_EVENTS = Number(process.env['BENCH_MATTER_EVENTS'] ?? 100_000);
const MATTER_MEGABYTES = Number(process.env['BENCH_MATTER_MEGABYTES'] ?? 2_048);
const MEMBER = { events: 1_000, documents: 20, megabytes: 50 };
const MATTER = { events: MATTER_EVENTS, documents: 64, megabytes: MATTER_MEGABYTES };
const BATCH = 1_000;
const POLL_MS = 25;
const BOUNDARY = 'eas-bench-boundary';
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

interface Built {
  readonly bundleId: string;
  readonly sha256: string;
  readonly seconds: number;
}

interface Size {
  readonly events: number;
  readonly documents: number;
  readonly megabytes: number;
}

/**
 * Compares bundles, from the request to the seal, with the minimum of any build in the same run: reading the same rows and
 * contents from the same database, yazl's STORE and SHA-256.
 */
export async function benchBundles(): Promise<Results> {
  const stack = await startStack();
  try {
    await fill(stack, 'M-bench', MEMBER);
    const member = await rounds(stack, 'M-bench');
    await fill(stack, 'M-matter', MATTER);
    const matter = await large(stack, 'M-matter');
    const download = await downloads(stack, matter.built);
    const seconds = member.map(([ours]) => ours).sort((a, b) => a - b);
    const p95 = seconds[Math.ceil(seconds.length * 0.95) - 1] ?? 0;
    const lines = [member.map(([ours, base]) => `${ours.toFixed(2)} / ${base.toFixed(2)} s`).join(', ')];
    return {
      // The aim is an upper bound: the baseline's share of a build.
      ratios: [
        ratioOf('Member bundle: rows, contents, STORE and SHA-256 alone / build', 1 / 1.5, member.map(swap), lines),
        ratioOf('Matter bundle: the same', 1 / 1.5, [swap(matter.pair)], [matter.line]),
        download,
      ],
      figures: [
        atMost('Member bundle (1,000 events, 20 documents, 50 MB): p95', 's', 2, [p95], lines),
        atMost(
          `Matter bundle (${MATTER.events} events, ${MATTER.megabytes} MB)`,
          's',
          60,
          [matter.pair[0]],
          [matter.line],
        ),
        atMost('Matter bundle: growth of resident memory', 'MB', 300, [matter.growthMb], []),
      ],
    };
  } finally {
    await stack.stop();
  }
}

const swap = ([ours, base]: readonly [number, number]): readonly [number, number] => [base, ours];

async function fill({ rest, raw }: Stack, memberId: string, size: Size): Promise<void> {
  for (let from = 0; from < size.events; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, size.events - from) }, (_, n) => eventOf(memberId, from + n));
    await rest.post('/v1/events', JSON.stringify({ events }));
  }
  const bytes = Math.floor((size.megabytes * MIB) / size.documents);
  for (let n = 0; n < size.documents; n++) await rest.post('/v1/documents', Readable.from(form(memberId, bytes)), FORM);
  const pending = { 'scan.status': 'PENDING' };
  while ((await raw.db('eas').collection('documents').countDocuments(pending, { limit: 1 })) > 0) await pause(100);
}

const eventOf = (member_id: string, n: number) => ({
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  source_system: `um-${n % 4}`,
  source_record_id: `${member_id}-${n}`,
  member_id,
  event_effective_timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
  outcome: 'DENIED',
  payload: { rationale: `Not documented ${n}`, carc: ['50'], procedure_codes: ['73721'], program: 'Commercial' },
});

function* form(memberId: string, bytes: number): Generator<Buffer> {
  const field = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="member_id"\r\n\r\n${memberId}\r\n`;
  const file =
    'Content-Disposition: form-data; name="file"; filename="b.bin"\r\nContent-Type: application/octet-stream';
  yield Buffer.from(`${field}--${BOUNDARY}\r\n${file}\r\n\r\n`);
  const block = randomBytes(MIB);
  for (let left = bytes, n = 0; left > 0; left -= MIB, n++) {
    block.writeUInt32BE(n, 0);
    yield Buffer.from(block.subarray(0, Math.min(MIB, left)));
  }
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
}

async function rounds(stack: Stack, memberId: string): Promise<(readonly [number, number])[]> {
  const pairs: (readonly [number, number])[] = [];
  // The first round compiles code and fills caches, and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const ours = await built(stack, memberId);
    const base = await baseline(stack, memberId);
    if (round > 0) pairs.push([ours.seconds, base]);
  }
  return pairs;
}

async function large(stack: Stack, memberId: string) {
  const pid = stack.processes['service'] ?? 0;
  const before = await restPeak(pid);
  const ours = await built(stack, memberId);
  const growthMb = ((await residentKb(pid, 'VmHWM')) - before) / 1_024;
  const base = await baseline(stack, memberId);
  const pair = [ours.seconds, base] as const;
  return { pair, growthMb, built: ours, line: `${ours.seconds.toFixed(1)} / ${base.toFixed(1)} s` };
}

async function built({ rest }: Stack, memberId: string): Promise<Built> {
  const from = performance.now();
  const asked = await rest.post('/v1/bundles', JSON.stringify({ scope: { member_id: memberId } }));
  const { bundle_id: bundleId } = JSON.parse(asked) as { bundle_id: string };
  for (;;) {
    const bundle = JSON.parse(await rest.get(`/v1/bundles/${bundleId}`)) as {
      status: string;
      worm_blob_sha256: string;
    };
    const seconds = (performance.now() - from) / 1_000;
    if (bundle.status === 'SEALED') return { bundleId, sha256: bundle.worm_blob_sha256, seconds };
    if (bundle.status === 'FAILED') throw new Error(`a bundle failed: ${JSON.stringify(bundle)}`);
    await pause(POLL_MS);
  }
}

/** Reads rows and contents by the bare driver, stores them by yazl and hashes them. */
async function baseline({ raw, rest }: Stack, memberId: string): Promise<number> {
  const from = performance.now();
  const [db, worm] = [raw.db('eas'), raw.db('eas_worm')];
  const lines: Buffer[] = [];
  const rows = db.collection('ledger').find({ tenant_id: rest.tenantId, 'query.member_id': memberId });
  for await (const row of rows) lines.push((row['record'] as { buffer: Buffer }).buffer, Buffer.from('\n'));
  const documents = await db
    .collection<{ sha256: string; size: number }>('documents')
    .find({ tenant_id: rest.tenantId, member_ids: memberId } as never)
    .toArray();
  const events = Buffer.concat(lines);
  const entries: ArchiveEntry[] = [{ path: 'events.jsonl', size: events.length, content: events }];
  for (const { sha256, size } of documents) {
    entries.push({ path: `documents/${sha256}`, size, content: () => chunksOf(worm as unknown as Db, sha256) });
  }
  const hash = createHash('sha256');
  for await (const chunk of yazlOf(entries)) hash.update(chunk);
  hash.digest('hex');
  return (performance.now() - from) / 1_000;
}

async function* chunksOf(worm: Db, sha256: string): AsyncGenerator<Buffer> {
  const blob = await worm.collection('blobs').findOne({ '_id.sha256': sha256 });
  const bucket = new GridFSBucket(worm, { bucketName: 'worm_blobs' });
  yield* bucket.openDownloadStream(blob?.['file_id'] as never) as AsyncIterable<Buffer>;
}

async function downloads({ rest, raw }: Stack, { bundleId, sha256 }: Built): Promise<Ratio> {
  const pairs: [number, number][] = [];
  for (let round = 0; round <= 2; round++) {
    let from = performance.now();
    const bytes = await rest.drain(`/v1/bundles/${bundleId}/download`);
    const ours = bytes / MIB / ((performance.now() - from) / 1_000);
    from = performance.now();
    let read = 0;
    for await (const chunk of chunksOf(raw.db('eas_worm') as unknown as Db, sha256)) read += chunk.length;
    const base = read / MIB / ((performance.now() - from) / 1_000);
    if (round > 0) pairs.push([ours, base]);
  }
  const lines = [pairs.map(([ours, base]) => `${ours.toFixed(0)} / ${base.toFixed(0)} MiB/s`).join(', ')];
  return ratioOf('Download of the matter bundle / raw GridFSBucket', 0.8, pairs, lines);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

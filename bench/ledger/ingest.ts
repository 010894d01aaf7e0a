import type { Db, Document } from 'mongodb';
import { type Processes, withCpu } from '../support/cpu.js';
import { benchEnvelope } from '../support/events.js';
import { describeRun, type Ratio, type Run, ratioOf, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';
import { copyOf, makeTwins, segmentNames } from '../support/twins.js';

const BATCH = 500;
const BATCH_CALLERS = 4;
const WRITERS = 32;

export interface IngestSizes {
  readonly rounds: number;
  readonly batches: number;
  readonly singles: number;
}

/** Segments are in a separate database. */
interface Databases {
  readonly db: Db;
  readonly worm: Db;
  readonly tenantId: string;
}

interface Names {
  readonly ledger: string;
  readonly segments: RegExp;
}

/** Warm-up calls before the first pair, so that neither side pays for compilation. */
const WARM_UP_BATCHES = 20;
const WARM_UP_SINGLES = 1_500;

/** Compares batch ingest over REST with insertMany of equal bytes into collections with the same indexes. */
export async function benchBatches(stack: Stack, names: Names, sizes: IngestSizes): Promise<Ratio> {
  const db = stack.raw.db('eas');
  const worm = stack.raw.db('eas_worm');
  await restBatches(stack, WARM_UP_BATCHES, 'warm-up-b');
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    const source = `bench-b${round}`;
    const { run: rest, cpu } = await withCpu(stack.processes, () => restBatches(stack, sizes.batches, source));
    const { run: raw, cpu: rawCpu } = await rawRun(
      { db, worm, tenantId: stack.rest.tenantId },
      stack.processes,
      names,
      source,
      round,
      'batch',
    );
    pairs.push([rest.perSecond, raw.perSecond]);
    lines.push(describeRun(`REST, ${BATCH} a call, ${BATCH_CALLERS} callers`, rest), cpu);
    lines.push(
      describeRun(`raw insertMany of rows and records, ${BATCH} a call, ${BATCH_CALLERS} callers`, raw),
      rawCpu,
    );
  }
  return ratioOf('batch ingest over REST / raw insertMany', 0.4, pairs, lines);
}

/** Compares single events over REST with insertOne (row and record) by the same number of writers. */
export async function benchSingles(stack: Stack, names: Names, sizes: IngestSizes): Promise<Ratio> {
  const db = stack.raw.db('eas');
  const worm = stack.raw.db('eas_worm');
  await restSingles(stack, WARM_UP_SINGLES, 'warm-up-s');
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    const source = `bench-s${round}`;
    const { run: rest, cpu } = await withCpu(stack.processes, () => restSingles(stack, sizes.singles, source));
    const { run: raw, cpu: rawCpu } = await rawRun(
      { db, worm, tenantId: stack.rest.tenantId },
      stack.processes,
      names,
      source,
      1000 + round,
      'single',
    );
    pairs.push([rest.perSecond, raw.perSecond]);
    lines.push(describeRun(`REST, one event a call, ${WRITERS} connections`, rest), cpu);
    lines.push(describeRun(`raw insertOne of row and record, ${WRITERS} writers`, raw), rawCpu);
  }
  return ratioOf('single events over REST / raw insertOne', 0.5, pairs, lines);
}

async function restBatches(stack: Stack, batches: number, source: string): Promise<Run> {
  const bodies = Array.from({ length: batches }, (_, b) =>
    JSON.stringify({ events: Array.from({ length: BATCH }, (_, i) => benchEnvelope(b * BATCH + i, source)) }),
  );
  return timed(batches, BATCH_CALLERS, async (n) => {
    const answer = JSON.parse(await stack.rest.post('/v1/events', bodies[n] ?? '')) as { accepted: number };
    if (answer.accepted !== BATCH) throw new Error(`${answer.accepted} of ${BATCH} accepted`);
    return BATCH;
  });
}

async function restSingles(stack: Stack, count: number, source: string): Promise<Run> {
  const bodies = Array.from({ length: count }, (_, n) => JSON.stringify(benchEnvelope(n, source)));
  return timed(count, WRITERS, async (n) => {
    await stack.rest.post('/v1/events', bodies[n] ?? '');
    return 1;
  });
}

async function rawRun(
  { db, worm, tenantId }: Databases,
  processes: Processes,
  names: Names,
  source: string,
  round: number,
  kind: 'batch' | 'single',
): Promise<{ readonly run: Run; readonly cpu: string }> {
  const segments = await segmentNames(worm, names.segments);
  const { rows, records } = await copyOf(db, worm, names.ledger, segments, {
    tenant_id: tenantId,
    source_system: source,
  });
  const twins = await makeTwins(db, worm, names.ledger, segments[0] ?? '', round);
  const insertBoth = async (from: number, count: number): Promise<number> => {
    const rowSlice = rows.slice(from, from + count);
    const recordSlice = records.slice(from, from + count);
    await Promise.all(
      count === 1
        ? [twins.rows.insertOne(rowSlice[0] as Document), twins.records.insertOne(recordSlice[0] as Document)]
        : [twins.rows.insertMany(rowSlice), twins.records.insertMany(recordSlice)],
    );
    return rowSlice.length;
  };
  const measured = await withCpu(processes, () =>
    kind === 'batch'
      ? timed(Math.ceil(rows.length / BATCH), BATCH_CALLERS, (n) => insertBoth(n * BATCH, BATCH))
      : timed(rows.length, WRITERS, (n) => insertBoth(n, 1)),
  );
  return measured;
}

import type { Collection, Document } from 'mongodb';
import { withCpu } from './support/cpu.js';
import { describeRun, type Ratio, ratioOf, timed } from './support/measure.js';
import type { Stack } from './support/stack.js';

// Measures a dashboard on a ledger of a million events against the plain aggregation with the same counts. The rows are
// written directly into the collection, with all counted fields and without the records. The aggregation then reads less
// than in production, which favours it.

const EVENTS = Number(process.env['BENCH_DASHBOARD_EVENTS'] ?? 1_000_000);
const SOURCES = ['claims', 'um-core', 'pharmacy', 'appeals'];
const DAYS = 365;
/** Types come in families. */
const FAMILIES = ['claim', 'utilization_management', 'remittance'];
const TYPES = 12;
/** Events are roughly in the order of their days. */
const LATE_DAYS = 7;
const OUTCOMES = ['paid', 'denied', 'pended', undefined];
const FIRST_DAY_MS = 1_735_689_600_000;
const DAY_MS = 86_400_000;
const INSERT_ROWS = 5_000;
const READS = 20;
const HASH = '0'.repeat(64);

interface Rounds {
  readonly rounds: number;
}

/** Compares dashboards per second over REST with plain aggregations per second, on one ledger. */
export async function benchDashboard(stack: Stack, ledger: string, { rounds }: Rounds): Promise<Ratio> {
  const rows = stack.raw.db('eas').collection<Document>(ledger);
  const lines: string[] = [];
  const filled = await fill(rows, stack.rest.tenantId);
  lines.push(`${filled} rows in ${SOURCES.length} chains, ${DAYS} days, ${TYPES} types`);
  const cold = await dashboards(stack, '', 1);
  lines.push(`first dashboard, which counts and keeps every block: ${(cold.run.seconds * 1000).toFixed(0)} ms`);
  await compare(stack, rows);
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) {
    const { run, cpu } = await dashboards(stack, '', READS);
    const window = `?from=${isoAt(100.3)}&to=${isoAt(200.7)}`;
    const { run: cut, cpu: cutCpu } = await dashboards(stack, window, READS);
    const { run: base, cpu: baseCpu } = await withCpu(stack.processes, () =>
      timed(1, 1, async () => {
        await aggregate(rows, stack.rest.tenantId);
        return 1;
      }),
    );
    pairs.push([run.perSecond, base.perSecond]);
    lines.push(describeRun('dashboard of everything', run), cpu);
    lines.push(describeRun('dashboard of a window that cuts two days', cut), cutCpu);
    lines.push(describeRun('plain aggregation of the same counts', base), baseCpu);
  }
  return ratioOf(`dashboard at ${filled} events / plain aggregation`, AIM, pairs, lines);
}

/** Aim: 50 dashboards in the time of one plain count, which is far more than a cache of minutes needs. */
const AIM = 50;

const isoAt = (day: number): string => new Date(FIRST_DAY_MS + day * DAY_MS).toISOString();

async function dashboards(stack: Stack, query: string, reads: number) {
  return withCpu(stack.processes, () =>
    timed(reads, 1, async () => {
      await stack.rest.get(`/v1/dashboard${query}`);
      return 1;
    }),
  );
}

async function fill(rows: Collection<Document>, tenantId: string): Promise<number> {
  let written = 0;
  for (const [place, source] of SOURCES.entries()) {
    // Chains have unequal lengths, and none ends at a block boundary.
    const length = Math.floor(EVENTS / SOURCES.length) + 137 * place + 41;
    for (let from = 1; from <= length; from += INSERT_ROWS) {
      const batch = Array.from({ length: Math.min(INSERT_ROWS, length - from + 1) }, (_, i) =>
        rowOf(tenantId, source, from + i, length),
      );
      await rows.insertMany(batch, { ordered: false });
      written += batch.length;
    }
  }
  return written;
}

function rowOf(tenantId: string, source: string, seq: number, length: number): Document {
  // A multiplicative hash makes neighbours differ in kind and slightly in day.
  const spread = Math.imul(seq, 2_654_435_761) >>> 0;
  const outcome = OUTCOMES[(spread >>> 9) % OUTCOMES.length];
  const type = (spread >>> 5) % TYPES;
  const day = Math.min(DAYS - 1, Math.floor((seq / length) * DAYS) + (spread % LATE_DAYS));
  return {
    _id: { tenant_id: tenantId, source_system: source, seq },
    tenant_id: tenantId,
    source_system: source,
    event_id: `evt_${source}_${seq}`,
    recorded_at: new Date(FIRST_DAY_MS),
    commit: HASH,
    fields: HASH,
    prev_hash: HASH,
    entry_hash: HASH,
    query: {
      effective_at: new Date(FIRST_DAY_MS + day * DAY_MS + (spread % DAY_MS)),
      event_family: FAMILIES[type % FAMILIES.length],
      event_type: `type_${type}`,
      ...(outcome === undefined ? {} : { outcome }),
    },
  };
}

interface Group {
  readonly _id: { readonly type: string };
  readonly count: number;
}

/** Computes all event counts of the dashboard in one pass over the tenant's rows. */
const aggregate = (rows: Collection<Document>, tenantId: string): Promise<Group[]> =>
  rows
    .aggregate<Group>([
      { $match: { tenant_id: tenantId, source_system: { $in: SOURCES } } },
      {
        $group: {
          _id: {
            source: '$source_system',
            day: { $dateTrunc: { date: '$query.effective_at', unit: 'day' } },
            family: '$query.event_family',
            type: '$query.event_type',
            outcome: '$query.outcome',
          },
          count: { $sum: 1 },
        },
      },
    ])
    .toArray();

interface Told {
  readonly events: { readonly total: number; readonly by_type: readonly { name: string; count: number }[] };
}

/** Checks the answer, because the figure of a wrong answer is worthless. */
async function compare(stack: Stack, rows: Collection<Document>): Promise<void> {
  const counts = new Map<string, number>();
  for (const { _id, count } of await aggregate(rows, stack.rest.tenantId)) {
    counts.set(_id.type, (counts.get(_id.type) ?? 0) + count);
  }
  const { events } = JSON.parse(await stack.rest.get('/v1/dashboard')) as Told;
  for (const { name, count } of events.by_type) {
    if (counts.get(name) !== count)
      throw new Error(`${name}: the dashboard tells ${count}, a count ${counts.get(name)}`);
    counts.delete(name);
  }
  if (counts.size > 0) throw new Error(`the dashboard lacks ${[...counts.keys()].join(', ')}`);
}

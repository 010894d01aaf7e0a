import { delay } from '../../shared/clock/timers.js';
import { GRAPH_CURSORS } from '../../subgraphs/members-graph/graph/model/cursors.js';
import { withCpu } from '../support/cpu.js';
import { benchEnvelope } from '../support/events.js';
import { atMost, describeRun, type Figure, type Results, ratioOf, timed } from '../support/measure.js';
import type { Stack } from '../support/stack.js';

// Measures the cost of the graph for ingest, and the delay until the graph has an event. To turn the graph off, the bench
// holds the tenant's row in the queue and does no work; afterwards it marks the chain as projected.

const BATCH = 500;
const BATCHES = Number(process.env['BENCH_GRAPH_BATCHES'] ?? 12);
const CALLERS = 4;
const ROUNDS = 3;
const PROBES = 30;
const LOOK_MS = 20;
const HOUR_MS = 3_600_000;

export async function benchGraphIngest(stack: Stack): Promise<Results> {
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  let perSecond = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await hold(stack, `graph-off-${round}`);
    const off = await withCpu(stack.processes, () => ingest(stack, `graph-off-${round}`));
    await passOver(stack, `graph-off-${round}`);
    const on = await withCpu(stack.processes, () => ingest(stack, `graph-on-${round}`));
    pairs.push([on.run.perSecond, off.run.perSecond]);
    lines.push(describeRun('graph off', off.run), off.cpu, describeRun('graph on', on.run), on.cpu);
    perSecond = on.run.perSecond;
    await isTakenIn(stack, `graph-on-${round}`);
  }
  const ratio = ratioOf('batch ingest with the graph on / off', 0.7, pairs, lines);
  return { ratio, lag: await lag(stack, perSecond / 2) };
}

function ingest(stack: Stack, source: string) {
  return timed(BATCHES, CALLERS, async (n) => {
    await stack.rest.post('/v1/events', JSON.stringify(batchOf(n, source)));
    return BATCH;
  });
}

const batchOf = (n: number, source: string): unknown[] =>
  Array.from({ length: BATCH }, (_, i) => benchEnvelope(n * BATCH + i, source));

/** A row of the queue with an hour's lease and no worker. */
async function hold(stack: Stack, source: string): Promise<void> {
  const tenant_id = stack.rest.tenantId;
  await stack.raw
    .db('eas')
    .collection<{ _id: string }>(GRAPH_CURSORS.name)
    .insertOne({
      _id: `${tenant_id} 1 ${source}`,
      tenant_id,
      generation: 1,
      source_system: source,
      seq: 0,
      lease_until: new Date(Date.now() + HOUR_MS),
      lease_token: 'bench',
      lease_owner: 'bench',
    } as never);
}

async function passOver(stack: Stack, source: string): Promise<void> {
  await stack.raw
    .db('eas')
    .collection<{ _id: string }>(GRAPH_CURSORS.name)
    .updateOne(
      { _id: `${stack.rest.tenantId} 1 ${source}` },
      {
        $set: { seq: BATCHES * BATCH },
        $unset: { lease_until: '', lease_token: '', lease_owner: '', behind_since: '', next_attempt_at: '' },
      },
    );
}

async function isTakenIn(stack: Stack, source: string): Promise<void> {
  const rows = stack.raw.db('eas').collection<{ _id: string; seq: number }>(GRAPH_CURSORS.name);
  const wanted = BATCHES * BATCH;
  while (((await rows.findOne({ _id: `${stack.rest.tenantId} 1 ${source}` }))?.seq ?? 0) < wanted) await delay(LOOK_MS);
}

/** Measures the time from the answer to a post until the member's neighbours show it, under a load of this rate. */
async function lag(stack: Stack, perSecond: number): Promise<Figure> {
  const values: number[] = [];
  let posting = true;
  const load = (async () => {
    for (let n = 0; posting; n++) {
      const began = performance.now();
      await stack.rest.post('/v1/events', JSON.stringify(batchOf(n, 'graph-load')));
      await delay(Math.max(0, (BATCH / perSecond) * 1_000 - (performance.now() - began)));
    }
  })();
  for (let n = 0; n < PROBES; n++) {
    const probe = { ...benchEnvelope(n, 'graph-probe'), member_id: `PROBE-${n}` };
    await stack.rest.post('/v1/events', JSON.stringify(probe));
    const began = performance.now();
    while (!(await isShown(stack, `member:PROBE-${n}`))) await delay(LOOK_MS);
    values.push(performance.now() - began);
  }
  posting = false;
  await load;
  values.sort((a, b) => a - b);
  return atMost(
    'from the answer to a post until the graph shows it, at half load (p99)',
    'ms',
    1_000,
    [values[Math.floor(values.length * 0.99)] ?? 0],
    [`${Math.round(perSecond)} events/s beside it; median ${Math.round(values[values.length >> 1] ?? 0)} ms`],
  );
}

async function isShown(stack: Stack, node: string): Promise<boolean> {
  const answer = JSON.parse(await stack.rest.get(`/v1/graph/subgraph?roots=member:M-1,${node}&depth=1&limit=5`)) as {
    nodes: { id: string }[];
  };
  return answer.nodes.some(({ id }) => id === node);
}

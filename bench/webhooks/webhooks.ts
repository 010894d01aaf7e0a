import { readFile } from 'node:fs/promises';
import { DELIVERY_COLLECTION } from '../../subgraphs/admin/webhooks/deliveries/model.js';
import { MESSAGE_COLLECTION } from '../../subgraphs/admin/webhooks/messages/model.js';
import { withCpu } from '../support/cpu.js';
import { benchEnvelope } from '../support/events.js';
import { atMost, type Figure, type Ratio, type Results, ratioOf } from '../support/measure.js';
import { type Stack, startStack } from '../support/stack.js';
import { bareLoop } from './bare-loop.js';
import { type ReceiverProcess, startReceiverProcess } from './receiver.js';
import { DELIVERIES, IN_FLIGHT, OPEN_LOOPBACK, PENDING, ROUNDS, SAMPLES } from './settings.js';

// Compares deliveries with a bare loop that signs and posts the same, measures the delay of a delivery on an idle service, and
// checks that a silent receiver does not delay another. Receiver, service and database are separate processes.

interface Bench {
  readonly stack: Stack;
  readonly receiver: ReceiverProcess;
}

const GAP_MS = 50;
/** Warm-up events, which are not counted. */
const WARM_UP = 20;
const POLL_MS = 25;
const DEADLINE_MS = 600_000;

export async function benchWebhooks(): Promise<Results> {
  const stack = await startStack(OPEN_LOOPBACK);
  const receiver = await startReceiverProcess();
  const bench = { stack, receiver };
  try {
    const idle = await latencies(bench);
    const before = await residentMb(stack);
    const ratio = await throughput(bench);
    const after = await residentMb(stack);
    const beside = await besideSilent(bench, idle);
    return { ratios: [ratio], figures: [...latencyFigures(idle), beside, memoryFigure(before, after)] };
  } finally {
    await receiver.stop();
    await stack.stop();
  }
}

async function throughput({ stack, receiver }: Bench): Promise<Ratio> {
  const webhook = await subscribe(stack, `${receiver.url}/count`, ['bundle.failed']);
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = await prepare(stack, webhook, DELIVERIES, `r${round}`);
    await receiver.reset();
    const { run, cpu } = await withCpu(stack.processes, async () => {
      await release(stack, webhook);
      await until(async () => (await receiver.stats()).counted.requests >= DELIVERIES);
      const { counted } = await receiver.stats();
      return { items: DELIVERIES, perSecond: DELIVERIES / ((counted.lastMs - counted.firstMs) / 1_000) };
    });
    const bare = await bareLoop(receiver.url, '/count', body, DELIVERIES);
    pairs.push([run.perSecond, bare]);
    lines.push(`deliveries ${Math.round(run.perSecond)}/s, bare loop ${Math.round(bare)}/s`, cpu);
  }
  return ratioOf(`deliveries / bare undici loop, ${IN_FLIGHT} in flight`, 0.6, pairs, lines);
}

/** Measures the time from an event's acceptance to its first byte at the receiver, one event at a time. */
async function latencies({ stack, receiver }: Bench): Promise<readonly number[]> {
  await receiver.reset();
  const webhook = await subscribe(stack, `${receiver.url}/times`, ['event.ingested']);
  const accepted = new Map<string, number>();
  for (let n = 0; n < WARM_UP + SAMPLES; n++) {
    const event = JSON.stringify(benchEnvelope(n, webhook.toLowerCase()));
    const { event_id } = JSON.parse(await stack.rest.post('/v1/events', event)) as { readonly event_id: string };
    if (n >= WARM_UP) accepted.set(event_id.replace('evt_', 'msg_'), performance.timeOrigin + performance.now());
    await pause(GAP_MS);
  }
  await until(async () => (await receiver.stats()).times.length >= WARM_UP + SAMPLES);
  const { times } = await receiver.stats();
  await stack.rest.remove(`/v1/webhooks/${webhook}`);
  return times
    .flatMap(([id, atMs]) => {
      const from = accepted.get(id);
      return from === undefined ? [] : [Math.max(0, atMs - from)];
    })
    .sort((a, b) => a - b);
}

/** Measures a live receiver's times while a silent receiver has many pending deliveries. */
async function besideSilent(bench: Bench, idle: readonly number[]): Promise<Figure> {
  const { stack, receiver } = bench;
  const silent = await subscribe(stack, `${receiver.url}/silent`, ['bundle.failed']);
  await prepare(stack, silent, PENDING, 'silent');
  await release(stack, silent);
  await pause(2_000);
  const beside = await latencies(bench);
  await stack.rest.remove(`/v1/webhooks/${silent}`);
  return atMost(
    `a live receiver's p99 beside ${PENDING} deliveries pending to a silent one / its p99 alone`,
    'x',
    2,
    [at(beside, 0.99) / at(idle, 0.99)],
    [`p50 ${at(beside, 0.5).toFixed(1)} ms, p99 ${at(beside, 0.99).toFixed(1)} ms`],
  );
}

const latencyFigures = (idle: readonly number[]): readonly Figure[] =>
  (
    [
      ['p50', 0.5, 50],
      ['p99', 0.99, 250],
    ] as const
  ).map(([name, share, aim]) =>
    atMost(
      `from an accepted event to its first byte at the receiver, idle, ${name}`,
      'ms',
      aim,
      [at(idle, share)],
      [`${idle.length} events, one at a time`],
    ),
  );

const memoryFigure = (before: number, after: number): Figure =>
  atMost(
    `the service's memory after ${ROUNDS * DELIVERIES} deliveries / before`,
    'x',
    1.5,
    [after / before],
    [`${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`],
  );

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

async function subscribe(stack: Stack, url: string, event_types: readonly string[]): Promise<string> {
  const body = JSON.stringify({ url, event_types, max_in_flight: IN_FLIGHT });
  return (JSON.parse(await stack.rest.post('/v1/webhooks', body)) as { readonly webhook_id: string }).webhook_id;
}

const FAR_MS = 3_600_000;
const INSERT_ROWS = 5_000;

/** Writes pending messages and deliveries in the relay's form, not yet due. @returns the body of one */
async function prepare(stack: Stack, webhook_id: string, count: number, round: string): Promise<Buffer> {
  const db = stack.raw.db('eas');
  const tenant_id = stack.rest.tenantId;
  const now = new Date();
  const later = new Date(now.getTime() + FAR_MS);
  let body = Buffer.alloc(0);
  for (let from = 0; from < count; from += INSERT_ROWS) {
    const ids = Array.from(
      { length: Math.min(INSERT_ROWS, count - from) },
      (_, n) => `${webhook_id}${round}${from + n}`,
    );
    const type = 'bundle.failed';
    body = Buffer.from(
      JSON.stringify({ id: `msg_${ids[0]}`, type, tenant_id, created_at: now, data: { bundle_id: `bdl_${ids[0]}` } }),
    );
    const message = { tenant_id, type, created_at: now, stored_at: now, body };
    const delivery = {
      ...{ tenant_id, webhook_id, type, trigger: 'SCHEDULED', status: 'PENDING', attempt: 0, attempts: [] },
      ...{ created_at: now, next_attempt_at: later, claims: 0 },
    };
    const messages = ids.map((id) => ({ _id: `msg_${id}` as never, ...message }));
    await db.collection(MESSAGE_COLLECTION.name).insertMany(messages, { ordered: false });
    const deliveries = ids.map((id) => ({ _id: `dlv_${id}` as never, message_id: `msg_${id}`, ...delivery }));
    await db.collection(DELIVERY_COLLECTION.name).insertMany(deliveries, { ordered: false });
  }
  return body;
}

/** Makes the pending deliveries due; the service finds them by polling. */
async function release(stack: Stack, webhook_id: string): Promise<void> {
  await stack.raw
    .db('eas')
    .collection(DELIVERY_COLLECTION.name)
    .updateMany({ webhook_id, next_attempt_at: { $exists: true } }, { $set: { next_attempt_at: new Date() } });
}

async function residentMb(stack: Stack): Promise<number> {
  const status = await readFile(`/proc/${stack.processes['service']}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error('the deliveries did not come in time');
    await pause(POLL_MS);
  }
}

import { readFileSync } from 'node:fs';
import type { Figure } from '../support/measure.js';
import { type BenchServer, createEvents } from './bench-server.js';
import { eventBytes, eventId, KINDS, TENANTS } from './events.js';
import { commandMessage } from './messages.js';
import { WirePool } from './wire-client.js';

const COLLECTION = 'soak';
const CALLERS = 16;
/** Documents kept: what is older is deleted, so that the data stays the same size and only leaks can grow. */
const KEPT = 50_000;
const DELETE_EVERY = 1_000;
const SAMPLES = 20;
/** The first share of the time fills the collection and the collector's heaps. */
const WARM_UP_SHARE = 0.3;
const FLAT = 1.2;

/** Inserts, point finds, ranges, updates and deletes mixed for some minutes; memory at the end against its beginning. */
export async function benchSoak(server: BenchServer, minutes: number): Promise<Figure> {
  const pool = await WirePool.open(server.running.socketPath, CALLERS);
  await createEvents(pool, COLLECTION);
  const durationMs = minutes * 60_000;
  const begun = performance.now();
  const samples: { atMs: number; anonymousMb: number }[] = [];
  let next = 0;
  let calls = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      const atMs = performance.now() - begun;
      if (atMs > durationMs) return;
      if (atMs > (samples.length * durationMs) / SAMPLES) {
        samples.push({ atMs, anonymousMb: anonymousMegabytes(server.running.pid) });
      }
      const n = next++;
      for (const message of mixOf(n)) {
        await pool.call(message);
        calls += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, lane));
  pool.close();
  const settled = samples.filter(({ atMs }) => atMs > durationMs * WARM_UP_SHARE).map(({ anonymousMb }) => anonymousMb);
  const third = Math.max(1, Math.floor(settled.length / 3));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    name: `memory over ${minutes} minutes of mixed load: last third / first third after warm-up`,
    unit: '×',
    aim: FLAT,
    values: [mean(settled.slice(-third)) / mean(settled.slice(0, third))],
    lines: [
      `${calls} calls; anonymous memory in MB: ${samples.map(({ anonymousMb }) => anonymousMb.toFixed(0)).join(' ')}`,
    ],
    lower: true,
  };
}

function mixOf(n: number): Buffer[] {
  const some = Math.max(0, n - ((n * 7_919) % KEPT));
  const messages = [
    commandMessage({ insert: COLLECTION }, [eventBytes(n)]),
    commandMessage({ find: COLLECTION, filter: { event_id: eventId(some) }, limit: 1, singleBatch: true }),
    commandMessage({
      findAndModify: COLLECTION,
      query: { event_id: eventId(some) },
      update: { $set: { state: `state-${n % 7}` }, $inc: { version: 1 } },
    }),
    commandMessage({
      find: COLLECTION,
      filter: { tenant: `tenant-${n % TENANTS}`, kind: `kind-${n % KINDS}` },
      sort: { at: -1 },
      limit: 10,
    }),
  ];
  if (n >= KEPT && n % DELETE_EVERY === 0) {
    const before = new Date(Date.UTC(2026, 0, 1) + (n - KEPT) * 1000);
    const deletes = Array.from({ length: TENANTS * KINDS }, (_, i) => ({
      q: { tenant: `tenant-${i % TENANTS}`, kind: `kind-${Math.floor(i / TENANTS)}`, at: { $lt: before } },
      limit: 0,
    }));
    messages.push(commandMessage({ delete: COLLECTION, deletes }));
  }
  return messages;
}

/** Pages of its own, without those of the mapped data file, which are the system's cache. */
function anonymousMegabytes(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(text)?.[1];
  if (kilobytes === undefined) throw new Error('memory can only be told where /proc is (Linux)');
  return Number(kilobytes) / 1000;
}

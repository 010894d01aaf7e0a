import { readFileSync } from 'node:fs';
import { atMost, type Figure } from '../support/measure.js';
import { type BenchServer, createEvents } from './bench-server.js';
import { eventBytes, eventId, KINDS, TENANTS } from './events.js';
import { commandMessage } from './messages.js';
import { WirePool } from './wire-client.js';

const COLLECTION = 'soak';
const CALLERS = 16;
/** Number of documents kept. Older ones are deleted, so that the data stays constant and only leaks can grow. */
const KEPT = 50_000;
const DELETE_EVERY = 1_000;
const SAMPLES = 20;
/** Share of the time that fills the collection and the garbage collector's heaps. */
const WARM_UP_SHARE = 0.3;
const FLAT = 1.2;

/** Mixes inserts, point finds, ranges, updates and deletes for some minutes; compares the memory at the end with the start. */
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
  return atMost(
    `memory over ${minutes} minutes of mixed load: last third / first third after warm-up`,
    '×',
    FLAT,
    [mean(settled.slice(-third)) / mean(settled.slice(0, third))],
    [`${calls} calls; anonymous memory in MB: ${samples.map(({ anonymousMb }) => anonymousMb.toFixed(0)).join(' ')}`],
  );
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

/** Private pages, without those of the mapped data file, which are the system's cache. */
function anonymousMegabytes(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(text)?.[1];
  if (kilobytes === undefined) throw new Error('memory can only be told where /proc is (Linux)');
  return Number(kilobytes) / 1000;
}

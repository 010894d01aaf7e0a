import { join } from 'node:path';
import { withCpu } from '../support/cpu.js';
import { describeRun, type Ratio, type Run, ratioOf, timed } from '../support/measure.js';
import { type BenchServer, createEvents } from './bench-server.js';
import { eventBytes, eventId } from './events.js';
import { commandMessage } from './messages.js';
import { openRaw, putsOf } from './raw-lmdb.js';
import { replyDocument, WirePool } from './wire-client.js';

const WRITERS = 64;
const DOCUMENTS = 15_000;
const ROUNDS = 5;
const WARM_UP = 6_000;
const COLLECTION = 'writes';

/** Compares single durable inserts of 64 writers with lmdb and the same puts, 64 documents per durable transaction. */
export async function benchInserts(server: BenchServer): Promise<Ratio> {
  const pool = await WirePool.open(server.running.socketPath, WRITERS);
  const raw = openRaw(join(server.folder, 'raw'));
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  await createEvents(pool, COLLECTION);
  await insertRun(pool, 0, WARM_UP);
  rawRun(raw.commit, 0, WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    const from = WARM_UP + round * DOCUMENTS;
    const { run, cpu } = await withCpu(server.processes, () => insertRun(pool, from, DOCUMENTS));
    const bare = rawRun(raw.commit, from, DOCUMENTS);
    pairs.push([run.perSecond, bare.perSecond]);
    lines.push(describeRun(`insert, ${WRITERS} writers`, run), cpu);
    lines.push(describeRun(`raw lmdb, ${WRITERS} documents a transaction`, bare));
  }
  const counted = replyDocument(await pool.call(commandMessage({ count: COLLECTION })))['n'];
  if (counted !== WARM_UP + ROUNDS * DOCUMENTS) throw new Error(`${String(counted)} documents were stored`);
  pool.close();
  await raw.close();
  return ratioOf('durable inserts, three indexes / raw lmdb', 0.8, pairs, lines);
}

/** Compares compare-and-set by unique key with inserts, both with 64 writers. */
export async function benchModify(server: BenchServer): Promise<Ratio> {
  const pool = await WirePool.open(server.running.socketPath, WRITERS);
  const collection = 'modified';
  await createEvents(pool, collection);
  const pairs: [number, number][] = [];
  const lines: string[] = [];
  await insertRun(pool, 0, WARM_UP, collection);
  await modifyRun(pool, 0, WARM_UP, collection);
  for (let round = 0; round < ROUNDS; round++) {
    const from = WARM_UP + round * DOCUMENTS;
    const inserted = await insertRun(pool, from, DOCUMENTS, collection);
    const { run, cpu } = await withCpu(server.processes, () => modifyRun(pool, from, DOCUMENTS, collection));
    pairs.push([run.perSecond, inserted.perSecond]);
    lines.push(describeRun(`findOneAndUpdate by unique key and version, ${WRITERS} writers`, run), cpu);
    lines.push(describeRun(`insert, ${WRITERS} writers`, inserted));
  }
  pool.close();
  return ratioOf('findOneAndUpdate / inserts', 0.6, pairs, lines);
}

function insertRun(pool: WirePool, from: number, count: number, collection = COLLECTION): Promise<Run> {
  const messages = Array.from({ length: count }, (_, i) =>
    commandMessage({ insert: collection }, [eventBytes(from + i)]),
  );
  return timed(count, WRITERS, async (n) => {
    await pool.call(messages[n] as Buffer);
    return 1;
  });
}

async function modifyRun(pool: WirePool, from: number, count: number, collection: string): Promise<Run> {
  const messages = Array.from({ length: count }, (_, i) =>
    commandMessage({
      findAndModify: collection,
      query: { event_id: eventId(from + i), version: 1 },
      update: { $set: { state: 'sealed' }, $inc: { version: 1 } },
      new: true,
    }),
  );
  const run = await timed(count, WRITERS, async (n) => {
    const reply = await pool.call(messages[n] as Buffer);
    // A short reply has no document: the update did not find its target.
    if (reply.length < 500) throw new Error(JSON.stringify(replyDocument(reply)));
    return 1;
  });
  return run;
}

function rawRun(commit: ReturnType<typeof openRaw>['commit'], from: number, count: number): Run {
  const documents = Array.from({ length: count }, (_, i) => putsOf(Buffer.from(eventBytes(from + i)), from + i + 1));
  const latencies: number[] = [];
  const start = performance.now();
  for (let at = 0; at < count; at += WRITERS) {
    const begun = performance.now();
    commit(documents.slice(at, at + WRITERS));
    latencies.push(performance.now() - begun);
  }
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const share = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? 0;
  return { items: count, seconds, perSecond: count / seconds, p50Ms: share(0.5), p99Ms: share(0.99) };
}

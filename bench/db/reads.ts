import { MongoClient } from 'mongodb';
import { withCpu } from '../support/cpu.js';
import { describeRun, type Figure, type Ratio, type Run, ratioOf, timed } from '../support/measure.js';
import { type BenchServer, createEvents, fillEvents } from './bench-server.js';
import { startCannedServer } from './canned-server.js';
import { eventId, KINDS, TENANTS } from './events.js';
import { commandMessage } from './messages.js';
import { replyDocument, WirePool } from './wire-client.js';

const COLLECTION = 'reads';
const DOCUMENTS = 20_000;
const ROUNDS = 5;
const CALLERS = 16;
const POINT_CALLS = 15_000;
const RANGE_CALLS = 4_000;
const RANGE_LIMIT = 50;

export async function fillForReads(server: BenchServer): Promise<void> {
  const pool = await WirePool.open(server.running.socketPath, 1);
  await createEvents(pool, COLLECTION);
  await fillEvents(pool, COLLECTION, 0, DOCUMENTS);
  pool.close();
}

/**
 * Compares the Node driver's finds by a unique key with its `ping`. A server that answers every find with the same prepared
 * bytes shows the driver's cost of a find beyond a ping: no database can be faster.
 */
export async function benchPoints(server: BenchServer): Promise<Ratio[]> {
  const client = await MongoClient.connect(server.running.uri, { maxPoolSize: CALLERS, minPoolSize: CALLERS });
  const wire = await WirePool.open(server.running.socketPath, CALLERS);
  const canned = await startCannedServer(await wire.call(findByEvent(0)));
  const ceiling = await MongoClient.connect(canned.uri, { maxPoolSize: CALLERS, minPoolSize: CALLERS });
  const toPing: [number, number][] = [];
  const toCeiling: [number, number][] = [];
  const wirePairs: [number, number][] = [];
  const lines: string[] = [];
  const wireLines: string[] = [];
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const { run: find, cpu } = await withCpu(server.processes, () => driverFinds(client));
      const ping = await driverPings(client);
      const best = await driverFinds(ceiling);
      const { run: rawFind, cpu: rawCpu } = await withCpu(server.processes, () => wireCalls(wire, findByEvent));
      const rawPing = await wireCalls(wire, () => pingMessage);
      if (round < 0) continue;
      toPing.push([find.perSecond, ping.perSecond]);
      toCeiling.push([find.perSecond, best.perSecond]);
      wirePairs.push([rawFind.perSecond, rawPing.perSecond]);
      lines.push(describeRun(`driver findOne by unique key, ${CALLERS} callers`, find), cpu);
      lines.push(describeRun('driver ping', ping), describeRun('driver findOne, answered with prepared bytes', best));
      wireLines.push(describeRun(`raw wire find by unique key, ${CALLERS} connections`, rawFind), rawCpu);
      wireLines.push(describeRun('raw wire ping', rawPing));
    }
  } finally {
    await client.close();
    await ceiling.close();
    canned.stop();
    wire.close();
  }
  return [
    ratioOf("driver's point finds / its pings", 0.9, toPing, lines),
    ratioOf("driver's point finds / the same finds answered with prepared bytes", 0.9, toCeiling, []),
    ratioOf('raw wire point finds / raw wire pings', undefined, wirePairs, wireLines),
  ];
}

function driverFinds(client: MongoClient): Promise<Run> {
  const collection = client.db('bench').collection(COLLECTION);
  return timed(POINT_CALLS, CALLERS, async (n) => {
    const found = await collection.findOne({ event_id: eventId(scattered(n)) });
    if (found === null) throw new Error('a document is missing');
    return 1;
  });
}

function driverPings(client: MongoClient): Promise<Run> {
  const db = client.db('bench');
  return timed(POINT_CALLS, CALLERS, async () => {
    await db.command({ ping: 1 });
    return 1;
  });
}

const pingMessage = commandMessage({ ping: 1 });

function wireCalls(pool: WirePool, message: (n: number) => Buffer): Promise<Run> {
  const messages = Array.from({ length: POINT_CALLS }, (_, n) => message(scattered(n)));
  return timed(POINT_CALLS, CALLERS, async (n) => {
    await pool.call(messages[n] as Buffer);
    return 1;
  });
}

const findByEvent = (n: number): Buffer =>
  commandMessage({ find: COLLECTION, filter: { event_id: eventId(n) }, limit: 1, singleBatch: true });

/** Equality on two fields, a range and a sort on the third, 50 documents per call. */
export async function benchRanges(server: BenchServer): Promise<Figure> {
  const pool = await WirePool.open(server.running.socketPath, CALLERS);
  const messages = Array.from({ length: RANGE_CALLS }, (_, n) => rangeMessage(n));
  const first = replyDocument(await pool.call(messages[0] as Buffer));
  const { firstBatch } = first['cursor'] as { firstBatch: unknown[] };
  if (firstBatch.length !== RANGE_LIMIT) throw new Error(`${firstBatch.length} documents came for ${RANGE_LIMIT}`);
  const rates: number[] = [];
  const lines: string[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const { run, cpu } = await withCpu(server.processes, () =>
      timed(RANGE_CALLS, CALLERS, async (n) => {
        await pool.call(messages[n] as Buffer);
        return RANGE_LIMIT;
      }),
    );
    if (round < 0) continue;
    rates.push(run.perSecond);
    lines.push(describeRun(`find + sort + limit ${RANGE_LIMIT} on a compound index, raw wire`, run), cpu);
  }
  pool.close();
  return { name: 'find + sort + limit 50, documents a second', unit: '/s', aim: 150_000, values: rates, lines };
}

function rangeMessage(n: number): Buffer {
  const first = Date.UTC(2026, 0, 1) + (n % 20) * 100_000;
  return commandMessage({
    find: COLLECTION,
    filter: { tenant: `tenant-${n % TENANTS}`, kind: `kind-${n % KINDS}`, at: { $gte: new Date(first) } },
    sort: { at: 1 },
    limit: RANGE_LIMIT,
    singleBatch: true,
  });
}

const scattered = (n: number): number => (n * 7_919) % DOCUMENTS;

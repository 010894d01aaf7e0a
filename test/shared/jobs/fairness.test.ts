import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../shared/clock/clock.js';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { bench, PARCELS, parcel, parcels, sent, until } from './jobs-kit.js';

/** `npm run test:long` takes a hundred thousand. */
const DEAD_ROWS = Number(process.env['DEAD_ROWS'] ?? 20_000);

let server: TestServer;
let database: Database;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  database = await server.connect(`fairness_${databases}`);
});

describe('fairness', () => {
  it('limits the rows of a group in progress, in one process and over two', async () => {
    const inFlight = new Map<string, number>();
    const most = new Map<string, number>();
    const limits = { a: 3, b: 1 } as const;
    const spec = parcels({
      concurrency: 32,
      limits: async (group) => ({ maxInFlight: limits[group as 'a' | 'b'] }),
      handle: async ({ group }) => {
        const now = (inFlight.get(group) ?? 0) + 1;
        inFlight.set(group, now);
        most.set(group, Math.max(most.get(group) ?? 0, now));
        await new Promise((resolve) => setTimeout(resolve, 3));
        inFlight.set(group, now - 1 < 0 ? 0 : (inFlight.get(group) ?? 1) - 1);
        return sent;
      },
    });
    const first = await bench(database, { clock: systemClock }, false);
    const second = await bench(database, { clock: systemClock }, false);
    await first.jobs.queue(spec);
    await second.jobs.queue(spec);
    const rows = Array.from({ length: 160 }, (_, n) => parcel(n, n % 2 ? 'a' : 'b', Date.now()));
    await first.rows.insertMany(rows);
    const one = first.jobs.start();
    await until('the first has begun', () => most.size === 2);
    const two = second.jobs.start();
    await until('all are sent', async () => (await first.rows.countDocuments({ status: 'SENT' })) === rows.length);
    await Promise.all([one.stop(), two.stop()]);
    expect(most.get('a')).toBe(3);
    expect(most.get('b')).toBe(1);
  });

  it('keeps no group waiting behind the hanging rows of another', async () => {
    const made = await bench(database, { clock: systemClock });
    const handledMs = new Map<string, number>();
    const queue = await made.jobs.queue(
      parcels({
        concurrency: 16,
        limits: { maxInFlight: 8 },
        handle: async ({ _id, group }, lease) => {
          if (group === 'quick') {
            handledMs.set(_id, performance.now());
            return sent;
          }
          await new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()));
          throw new Error('a receiver that never answers');
        },
      }),
    );
    const quick = async (n: number): Promise<number> => {
      const row = parcel(n, 'quick', Date.now());
      await made.rows.insertOne(row);
      const toldMs = performance.now();
      queue.wake(['quick']);
      await until('it is handled', () => handledMs.has(row._id));
      return (handledMs.get(row._id) ?? 0) - toldMs;
    };
    const work = made.jobs.start();
    const alone: number[] = [];
    for (let n = 0; n < 40; n++) alone.push(await quick(n));
    const dead = Array.from({ length: DEAD_ROWS }, (_, n) => parcel(n, 'dead', Date.now() - 60_000));
    for (let n = 0; n < dead.length; n += 10_000) await made.rows.insertMany(dead.slice(n, n + 10_000));
    queue.wake(['dead']);
    await until('it hangs', () => (made.jobs.figures()[0]?.running ?? 0) === 8);
    const beside: number[] = [];
    for (let n = 40; n < 80; n++) beside.push(await quick(n));
    // Each was handled while the dead group kept every place that it may have: that it reads no more is tested below.
    expect(made.jobs.figures()[0]).toMatchObject({ running: 8, fates: { done: 80 } });
    const median = (all: number[]): string => (all.sort((a, b) => a - b)[all.length / 2] ?? 0).toFixed(1);
    console.info(`woken to handled, in the middle: ${median(alone)} ms alone, ${median(beside)} ms beside`);
    const stopping = work.stop();
    await stopping;
    expect(await made.rows.countDocuments({ group: 'dead', next_attempt_at: { $exists: true } })).toBe(DEAD_ROWS);
  });

  it('starts the rows of a group no faster than its rate', async () => {
    const { jobs, rows, clock } = await bench(database);
    const queue = await jobs.queue(parcels({ limits: { maxInFlight: 100, perSecond: 10 } }));
    await rows.insertMany(Array.from({ length: 40 }, (_, n) => parcel(n, 'paced', clock.nowMs())));
    const perStep: number[] = [];
    for (let step = 0; step < 6; step++) {
      perStep.push(await queue.runDue());
      clock.advance(100);
    }
    clock.advance(10_000);
    perStep.push(await queue.runDue());
    // Half a second's worth at once, also after a long rest.
    expect(perStep).toEqual([5, 1, 1, 1, 1, 1, 5]);
  });
});

it('reads only the index keys of a group’s waiting rows and of the heads', async () => {
  const { jobs, rows, clock } = await bench(database);
  await jobs.queue(parcels());
  await rows.insertMany(Array.from({ length: 2_000 }, (_, n) => parcel(n, `g${n % 4}`, clock.nowMs())));
  const collection = database.db.collection(PARCELS);
  const plans = [
    collection
      .find({ group: 'g1', next_attempt_at: { $exists: true } })
      .sort({ group: 1, next_attempt_at: 1 })
      .limit(5),
    collection
      .find({ group: { $gt: 'g1' }, next_attempt_at: { $exists: true } })
      .sort({ group: 1, next_attempt_at: 1 })
      .limit(5),
    collection.find({ lease_until: { $exists: true, $lt: new Date(clock.nowMs()) } }),
    collection.find({
      lease_until: { $exists: true, $gt: new Date(0) },
      lease_owner: { $ne: 'me' },
      group: { $in: ['g1', 'g2'] },
    }),
  ];
  for (const plan of plans) {
    const { executionStats } = await plan.explain('executionStats');
    expect(executionStats.totalKeysExamined).toBeLessThan(20);
    expect(executionStats.totalDocsExamined).toBeLessThan(20);
  }
});

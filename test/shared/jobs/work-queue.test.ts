import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../shared/clock/clock.js';
import type { Database } from '../../../shared/db/database.js';
import { CollectionWakeUps, type WakeUps } from '../../../shared/jobs/wake-ups.js';
import { QUEUE_MEMBERS } from '../../../shared/jobs/work-queue.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { recordingLogger } from '../../support/fakes.js';
import { bench, type Parcel, parcel, parcels, sent, until } from './jobs-kit.js';

let server: TestServer;
let database: Database;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  database = await server.connect(`jobs_${databases}`);
});

const ids = (rows: readonly { readonly _id: string }[]): string[] => rows.map(({ _id }) => _id);

describe('a due row', () => {
  it('is handled once, keeps the domain’s change and becomes idle', async () => {
    const { jobs, rows, clock } = await bench(database);
    const queue = await jobs.queue(parcels());
    await rows.insertMany([parcel(1, 'a', clock.nowMs()), parcel(2, 'b', clock.nowMs())]);
    expect(await queue.runDue()).toBe(2);
    expect(await queue.runDue()).toBe(0);
    const found = await rows.find().toArray();
    for (const row of found) {
      expect(row).toMatchObject({ status: 'SENT', attempt: 1 });
      for (const member of QUEUE_MEMBERS) expect(row).not.toHaveProperty(member);
    }
    expect(jobs.figures()[0]?.fates).toMatchObject({ claimed: 2, done: 2, lost: 0, thrown: 0 });
  });

  it('repeats at exactly the times of its schedule', async () => {
    const waitsMs = [30_000, 60_000, 300_000];
    const { jobs, rows, clock } = await bench(database);
    const at: number[] = [];
    const queue = await jobs.queue(
      parcels({
        handle: async ({ attempt }) => {
          at.push(clock.nowMs());
          const waitMs = waitsMs[attempt];
          if (waitMs === undefined) return { kind: 'done', change: { set: { status: 'GIVEN_UP' } } };
          return { kind: 'again', atMs: clock.nowMs() + waitMs, change: { inc: { attempt: 1 } } };
        },
      }),
    );
    const startMs = clock.nowMs();
    await rows.insertOne(parcel(1, 'a', startMs));
    expect(await queue.runDue()).toBe(1);
    for (const waitMs of waitsMs) {
      clock.advance(waitMs - 1);
      expect(await queue.runDue()).toBe(0);
      clock.advance(1);
      expect(await queue.runDue()).toBe(1);
    }
    expect(at.map((ms) => ms - startMs)).toEqual([0, 30_000, 90_000, 390_000]);
    expect(await rows.findOne()).toMatchObject({ status: 'GIVEN_UP', attempt: 3 });
  });

  it('is skipped when it was cancelled, also while it is handled', async () => {
    const { jobs, rows, clock } = await bench(database);
    const cancelled = {
      $set: { status: 'CANCELLED' as const },
      $unset: Object.fromEntries(QUEUE_MEMBERS.map((m) => [m, ''])),
    };
    const written: boolean[] = [];
    const queue = await jobs.queue(
      parcels({
        handle: async (row, lease) => {
          await rows.updateOne({ _id: row._id }, cancelled as never);
          written.push(await lease.write({ set: { status: 'SENT' } }));
          return sent;
        },
      }),
    );
    await rows.insertOne(parcel(1, 'a', clock.nowMs()));
    await queue.runDue();
    expect(written).toEqual([false]);
    expect(await rows.findOne()).toMatchObject({ status: 'CANCELLED', attempt: 0 });
    expect(jobs.figures()[0]?.fates.lost).toBe(1);
  });
});

describe('two processes', () => {
  it('never handle a row at the same time, and both take part', async () => {
    const inFlight = new Set<string>();
    const by = new Map<string, number>();
    const worker = async (name: string) => {
      const made = await bench(database, { clock: systemClock }, false);
      await made.jobs.queue(
        parcels({
          concurrency: 16,
          limits: { maxInFlight: 1_000 },
          handle: async (row) => {
            if (inFlight.has(row._id)) throw new Error('handled twice at once');
            inFlight.add(row._id);
            await new Promise((resolve) => setTimeout(resolve, 2));
            inFlight.delete(row._id);
            by.set(name, (by.get(name) ?? 0) + 1);
            return { kind: 'done', change: { set: { status: 'SENT' }, push: { handled_by: name } } };
          },
        }),
      );
      return made;
    };
    const workers = [await worker('one'), await worker('two')];
    const [first] = workers;
    const rows = Array.from({ length: 600 }, (_, n) => parcel(n, `g${n % 30}`, Date.now()));
    await first?.rows.insertMany(rows);
    const works = workers.map(({ jobs }) => jobs.start());
    await until('all are sent', async () => (await first?.rows.countDocuments({ status: 'SENT' })) === rows.length);
    await Promise.all(works.map((work) => work.stop()));
    const found = (await first?.rows.find().toArray()) ?? [];
    expect(found.every(({ handled_by }) => handled_by.length === 1)).toBe(true);
    expect([...by.keys()].sort()).toEqual(['one', 'two']);
    for (const { jobs } of workers) expect(jobs.figures()[0]?.fates).toMatchObject({ thrown: 0, lost: 0, died: 0 });
  });

  it('receive each other’s wake-ups, and not their own', async () => {
    const { logger } = recordingLogger();
    const [one, two] = ['one', 'two'].map((owner) => new CollectionWakeUps(database.db, owner, logger)) as [
      CollectionWakeUps,
      CollectionWakeUps,
    ];
    await Promise.all([one.prepare(), two.prepare()]);
    const heard: Record<'one' | 'two', Parameters<Parameters<WakeUps['listen']>[0]>[0][]> = { one: [], two: [] };
    const deaf = [one.listen((told) => heard.one.push(told)), two.listen((told) => heard.two.push(told))];
    one.post('parcel.send', ['a', 'b']);
    one.post('parcel.send', ['b', 'c']);
    await until('two hears it', () => heard.two.length === 1);
    two.post(
      'parcel.send',
      Array.from({ length: 200 }, (_, n) => `g${n}`),
    );
    await until('one hears it', () => heard.one.length === 1);
    await Promise.all(deaf.map((stop) => stop()));
    expect(heard).toEqual({
      two: [{ queue: 'parcel.send', groups: ['a', 'b', 'c'] }],
      one: [{ queue: 'parcel.send', groups: null }],
    });
  });
});

describe('the cost of a claim', () => {
  it('does not grow with the waiting or past rows of its group', async () => {
    const { jobs, rows, clock } = await bench(database, {}, false);
    const queue = await jobs.queue(parcels());
    // An index of the domain's, along which all rows of a group could be read.
    await rows.createIndex({ group: 1, status: 1 }, { name: 'of_the_domain' });
    const all = Array.from({ length: 300 }, (_, n) => parcel(n, 'a', clock.nowMs() + (n % 2) * 3_600_000));
    await rows.insertMany(all);
    expect(await queue.runDue()).toBe(150);
    const uses = await rows.aggregate([{ $indexStats: {} }, { $match: { name: 'of_the_domain' } }]).toArray();
    expect(uses.map(({ accesses }) => Number(accesses.ops))).toEqual([0]);
  });

  it('includes a wake-up of other processes only if this one does not claim the row and the queue says so', async () => {
    const { logger } = recordingLogger();
    const other = new CollectionWakeUps(database.db, 'other', logger);
    await other.prepare();
    const heard: string[] = [];
    const deaf = other.listen(({ queue, groups }) => heard.push(...(groups ?? []).map((group) => `${queue} ${group}`)));
    const { jobs } = await bench(database, { clock: systemClock }, false);
    const here = await jobs.queue(parcels({ name: 'parcel.here', wakesOthers: false }));
    const everywhere = await jobs.queue(parcels({ name: 'parcel.everywhere' }));
    here.wake(['before']);
    await until('it is told', () => heard.length === 1);
    const work = jobs.start();
    here.wake(['while']);
    everywhere.wake(['while']);
    await until('the other is told', () => heard.length === 2);
    await work.stop();
    here.wake(['after']);
    await until('it is told again', () => heard.length === 3);
    await deaf();
    expect(heard).toEqual(['parcel.here before', 'parcel.everywhere while', 'parcel.here after']);
  });
});

describe('an expired lease', () => {
  it('makes the row due again, and rejects the late writer', async () => {
    const slow = await bench(database);
    let wait: (() => void) | undefined;
    const begun: string[] = [];
    const slowQueue = await slow.jobs.queue(
      parcels({
        handle: async (row, lease) => {
          begun.push(row._id);
          await new Promise<void>((resolve) => {
            wait = resolve;
          });
          const kept = await lease.write({ set: { status: 'CANCELLED' } });
          return { kind: 'done', change: { set: { status: 'GIVEN_UP' }, push: { handled_by: `late ${kept}` } } };
        },
      }),
    );
    await slow.rows.insertOne(parcel(1, 'a', slow.clock.nowMs()));
    const late = slowQueue.runDue();
    await until('it has begun', () => begun.length === 1);

    const other = await bench(database, { clock: slow.clock });
    const otherQueue = await other.jobs.queue(
      parcels({
        handle: async () => ({ kind: 'done', change: { set: { status: 'SENT' }, push: { handled_by: 'other' } } }),
      }),
    );
    expect(await otherQueue.runDue()).toBe(0);
    slow.clock.advance(30_001);
    expect(await otherQueue.runDue()).toBe(1);
    wait?.();
    await late;
    expect(await slow.rows.findOne()).toMatchObject({ status: 'SENT', handled_by: ['other'] });
    expect(slow.jobs.figures()[0]?.fates.lost).toBe(1);
    expect(other.jobs.figures()[0]?.fates.died).toBe(1);
  });

  it('does not occur while the holder lives, because it renews', async () => {
    const made = await bench(database, { clock: systemClock });
    let aborted = false;
    await made.jobs.queue(
      parcels({
        leaseMs: 600,
        handle: async (_row, lease) => {
          await new Promise((resolve) => setTimeout(resolve, 2_000));
          aborted = lease.signal.aborted;
          return { kind: 'done', change: { set: { status: 'SENT' }, push: { handled_by: 'me' } } };
        },
      }),
    );
    await made.rows.insertOne(parcel(1, 'a', Date.now()));
    const work = made.jobs.start();
    await until('it is sent', async () => (await made.rows.countDocuments({ status: 'SENT' })) === 1);
    await work.stop();
    expect(aborted).toBe(false);
    expect(await made.rows.findOne()).toMatchObject({ handled_by: ['me'] });
    expect(made.jobs.figures()[0]?.fates).toMatchObject({ claimed: 1, died: 0, lost: 0 });
  });
});

describe('a handler that throws', () => {
  it('is retried after each delay of its schedule, and abandoned with an exception that says so', async () => {
    const { jobs, rows, clock, desk, lines } = await bench(database);
    const queue = await jobs.queue(
      parcels({
        retryThrownMs: (claims) => (claims < 3 ? 1_000 * claims : null),
        handle: async () => {
          throw new TypeError('of no use to anyone');
        },
      }),
    );
    await rows.insertOne(parcel(1, 'a', clock.nowMs()));
    expect(await queue.runDue()).toBe(1);
    clock.advance(1_000);
    expect(await queue.runDue()).toBe(1);
    clock.advance(1_999);
    expect(await queue.runDue()).toBe(0);
    clock.advance(1);
    expect(await queue.runDue()).toBe(1);
    expect(await rows.findOne()).toMatchObject({ status: 'GIVEN_UP', poisoned_at: new Date(clock.nowMs()) });
    expect(desk.opened).toEqual([
      {
        tenantId: 'tenant-of-a',
        kind: 'JOB_POISONED',
        subject: { queue: 'parcel.send', row_id: 'a-000001' },
        detail: { claims: 3, reason: 'TypeError' },
      },
    ]);
    expect(lines.filter((line) => line.includes('a handling threw'))).toHaveLength(3);
    clock.advance(86_400_000);
    expect(await queue.runDue()).toBe(0);
  });

  it('is abandoned without another attempt if its holders die one after the other', async () => {
    const { jobs, rows, clock, desk } = await bench(database);
    let handled = 0;
    const queue = await jobs.queue(
      parcels({
        handle: async () => {
          handled += 1;
          return sent;
        },
      }),
    );
    await rows.insertOne({ ...parcel(1, 'a', clock.nowMs()), claims: 8 } as Parcel);
    await queue.runDue();
    expect(handled).toBe(0);
    expect(await rows.findOne()).toMatchObject({ status: 'GIVEN_UP' });
    expect(desk.opened[0]?.detail).toEqual({ claims: 9, reason: 'the holder died' });
  });

  it('is not abandoned while the exception cannot be opened', async () => {
    const { jobs, rows, clock, desk } = await bench(database);
    const queue = await jobs.queue(parcels({ retryThrownMs: () => null }));
    await rows.insertOne({ ...parcel(1, 'a', clock.nowMs()), claims: 1 } as Parcel);
    desk.failure = new Error('away');
    await queue.runDue();
    expect(await rows.findOne()).toMatchObject({
      status: 'WAITING',
      next_attempt_at: new Date(clock.nowMs() + 60_000),
    });
    desk.failure = undefined;
    clock.advance(60_000);
    await queue.runDue();
    expect(await rows.findOne()).toMatchObject({ status: 'GIVEN_UP' });
    expect(desk.opened).toHaveLength(1);
  });

  it('restarts its count of attempts after an outcome', async () => {
    const { jobs, rows, clock, desk } = await bench(database);
    let calls = 0;
    const queue = await jobs.queue(
      parcels({
        retryThrownMs: (claims) => (claims < 3 ? 1 : null),
        handle: async () => {
          calls += 1;
          if (calls % 3 !== 0) throw new Error('an outage');
          return calls < 9 ? { kind: 'again', atMs: clock.nowMs(), change: {} } : sent;
        },
      }),
    );
    await rows.insertOne(parcel(1, 'a', clock.nowMs()));
    for (let step = 0; step < 12; step++) {
      await queue.runDue();
      clock.advance(1);
    }
    expect(await rows.findOne()).toMatchObject({ status: 'SENT' });
    expect(desk.opened).toEqual([]);
  });
});

describe('a stop', () => {
  it('waits for handlers, and releases rows that have not begun or do not end', async () => {
    const made = await bench(database, { clock: systemClock });
    const begun: string[] = [];
    let letGo: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await made.jobs.queue(
      parcels({
        concurrency: 2,
        limits: { maxInFlight: 2 },
        handle: async ({ _id }, lease) => {
          begun.push(_id);
          await held;
          if (!lease.signal.aborted) return sent;
          throw new Error('told to end');
        },
      }),
    );
    await made.rows.insertMany(Array.from({ length: 10 }, (_, n) => parcel(n, 'a', Date.now())));
    const work = made.jobs.start();
    await until('two run and six wait ready', () => made.jobs.figures()[0]?.held === 8);
    expect(begun).toHaveLength(2);
    const stopping = work.stop();
    await until('the ready ones are handed back', async () => {
      return (await made.rows.countDocuments({ next_attempt_at: { $exists: true } })) === 8;
    });
    letGo?.();
    await stopping;
    const found = await made.rows.find().sort({ _id: 1 }).toArray();
    expect(ids(found.filter(({ status }) => status === 'SENT')).sort()).toEqual([...begun].sort());
    expect(found.filter(({ lease_token }) => lease_token !== undefined)).toEqual([]);
    expect(found.filter(({ status }) => status === 'WAITING').map(({ claims }) => claims)).toEqual(
      new Array(8).fill(0),
    );
    expect(made.jobs.figures()[0]).toMatchObject({ held: 0, running: 0, fates: { released: 6 } });
  });

  it('takes a row from a handler that never ends, and another process handles it', async () => {
    const stuck = await bench(database, { clock: systemClock });
    let begun = 0;
    await stuck.jobs.queue(
      parcels({
        handle: () => {
          begun += 1;
          return new Promise(() => {});
        },
      }),
    );
    await stuck.rows.insertOne(parcel(1, 'a', Date.now()));
    const work = stuck.jobs.start();
    await until('it has begun', () => begun === 1);
    await work.stop();
    expect(await stuck.rows.findOne()).toMatchObject({ status: 'WAITING', claims: 0 });
    const other = await bench(database, { clock: systemClock });
    const queue = await other.jobs.queue(parcels());
    expect(await queue.runDue()).toBe(1);
    expect(await stuck.rows.findOne()).toMatchObject({ status: 'SENT' });
  });
});

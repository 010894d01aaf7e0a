import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../shared/clock/clock.js';
import type { Database } from '../../../shared/db/database.js';
import { ALARMS } from '../../../shared/jobs/alarm-clock.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { bench, parcel, parcels, sent, until } from './jobs-kit.js';

let server: TestServer;
let database: Database;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  database = await server.connect(`alarms_${databases}`);
});

const process = async (run: (signal: AbortSignal) => Promise<void>, everyMs = 1_000) => {
  const made = await bench(database, { clock: systemClock });
  made.jobs.recurring({ name: 'test.tick', description: 'Ticks.', everyMs, run });
  return made;
};

describe('recurring work', () => {
  it('repeats, in one of two processes at a time', async () => {
    let running = 0;
    let most = 0;
    const runs: string[] = [];
    const tick = (name: string) => async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
      runs.push(name);
    };
    const made = [await process(tick('one')), await process(tick('two'))];
    const works = made.map(({ jobs }) => jobs.start());
    await until('it ran four times', () => runs.length >= 4);
    await Promise.all(works.map((work) => work.stop()));
    const after = runs.length;
    expect(most).toBe(1);
    const alarms = await database.db.collection(ALARMS).find().toArray();
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toMatchObject({ name: 'test.tick', repeatInterval: 1_000, lockedAt: null });
    expect(runs).toHaveLength(after);
  });

  it('waits one interval before the first run where a new deployment has nothing for it', async () => {
    const made = await bench(database, { clock: systemClock });
    const HOUR_MS = 3_600_000;
    const runs: string[] = [];
    const alarm = (name: string, isFirstRunLater: boolean) =>
      made.jobs.recurring({
        name,
        description: 'Ticks.',
        everyMs: HOUR_MS,
        isFirstRunLater,
        run: async () => void runs.push(name),
      });
    alarm('test.later', true);
    alarm('test.now', false);
    const startedAt = Date.now();
    const work = made.jobs.start();
    await until('the other one ran', () => runs.length > 0);
    await work.stop();
    expect(runs).toEqual(['test.now']);
    const later = await database.db.collection(ALARMS).findOne({ name: 'test.later' });
    expect(later?.['nextRunAt'].getTime()).toBeGreaterThanOrEqual(startedAt + HOUR_MS);
  });

  it('logs only the class of a failure, and repeats', async () => {
    let runs = 0;
    const made = await process(async () => {
      runs += 1;
      if (runs === 1) throw new TypeError('Jane Doe has no address');
    });
    const work = made.jobs.start();
    await until('it failed', () => runs === 1);
    await until('the failure is kept', async () => (await made.jobs.report(null)).recurring[0]?.failures === 1);
    expect((await made.jobs.report(null)).recurring).toMatchObject([
      { name: 'test.tick', every_seconds: 1, last_error_class: 'TypeError' },
    ]);
    await until('it ran again', async () => runs > 1 && (await made.jobs.report(null)).recurring[0]?.failures === 0);
    await work.stop();
    expect(JSON.stringify(await database.db.collection(ALARMS).find().toArray())).not.toContain('Jane');
  });

  it('keeps its lease when a process starts, and adopts a new interval', async () => {
    const first = await process(async () => {}, 1_000);
    const one = first.jobs.start();
    const alarms = database.db.collection(ALARMS);
    await until('it ran', async () => (await alarms.countDocuments({ lastFinishedAt: { $ne: null } })) === 1);
    await one.stop();
    const lockedAt = new Date();
    await alarms.updateOne({}, { $set: { lockedAt } });
    let runs = 0;
    const second = await process(async () => {
      runs += 1;
    }, 7_000);
    const two = second.jobs.start();
    await until('the pace is new', async () => (await alarms.countDocuments({ repeatInterval: 7_000 })) === 1);
    await two.stop();
    expect(runs).toBe(0);
    expect(await alarms.findOne()).toMatchObject({ lockedAt });
  });

  it('is signalled to end by a stop, which waits for it', async () => {
    let ended = false;
    let begun = false;
    const made = await process(async (signal) => {
      begun = true;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = true;
    });
    const work = made.jobs.start();
    await until('it has begun', () => begun);
    await work.stop();
    expect(ended).toBe(true);
  });
});

describe('the report', () => {
  it('counts due, scheduled, held and abandoned rows, of one tenant or of all', async () => {
    const { jobs, rows, clock, desk } = await bench(database);
    const queue = await jobs.queue(
      parcels({
        retryThrownMs: () => null,
        handle: async ({ group }) => {
          if (group === 'b') throw new RangeError('no');
          return sent;
        },
      }),
    );
    await rows.insertMany([parcel(1, 'a', clock.nowMs()), parcel(1, 'b', clock.nowMs())]);
    await queue.runDue();
    expect(desk.opened).toHaveLength(1);
    await rows.insertMany([
      parcel(2, 'a', clock.nowMs() - 5_000),
      parcel(3, 'a', clock.nowMs() + 60_000),
      parcel(2, 'b', clock.nowMs() - 9_000),
    ]);
    const [all] = (await jobs.report(null)).queues;
    expect(all).toMatchObject({ name: 'parcel.send', due: 2, scheduled: 1, running: 0, failed: 1 });
    expect(all?.oldest_due_at).toEqual(new Date(clock.nowMs() - 9_000));
    expect(all?.next_at).toEqual(new Date(clock.nowMs() + 60_000));
    const own = await jobs.report('tenant-of-a' as never);
    expect(own.queues).toMatchObject([{ due: 1, scheduled: 1, failed: 0, last_run_at: null, last_error_class: null }]);
    expect(own.queues[0]?.oldest_due_at).toEqual(new Date(clock.nowMs() - 5_000));
    expect(own.recurring).toEqual([]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../shared/db/database.js';
import { draw } from '../../shared/limits/buckets.js';
import { FailedLogins } from '../../shared/limits/failed-logins.js';
import { memoryRateLimits, type RateLimits, sharedRateLimits } from '../../shared/limits/rate-limits.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { ManualClock } from '../support/fakes.js';
import { seeded } from '../support/random.js';

/** No fall-back because this machine is busy. */
const PATIENT_MS = 60_000;

let server: TestServer;
let database: Database;
let clock: ManualClock;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('limits');
});
afterAll(() => server.stop());
beforeEach(() => {
  clock = new ManualClock(new Date().toISOString());
});

let names = 0;
const freshName = (): string => `tenant-${names++}`;

type RateDecision = Awaited<ReturnType<RateLimits['take']>>;

/** How many of `count` requests at once are let through. */
async function passed(limits: RateLimits, name: string, perMinute: number, count: number): Promise<RateDecision[]> {
  const decisions: RateDecision[] = [];
  for (let i = 0; i < count; i++) decisions.push(await limits.take(name, perMinute));
  return decisions.filter(({ retryAfterSeconds }) => retryAfterSeconds === null);
}

describe.each([
  ['in memory', async () => memoryRateLimits(clock)],
  ['in the database', () => sharedRateLimits({ database, clock, storeTimeoutMs: PATIENT_MS })],
] as const)('a token bucket %s', (_where, open) => {
  it('serves its capacity, and then refills continuously at its rate per minute', async () => {
    const limits = await open();
    const name = freshName();
    expect(await passed(limits, name, 60, 70)).toHaveLength(60);
    clock.advance(2_000);
    expect(await passed(limits, name, 60, 70)).toHaveLength(2);
    clock.advance(60_000);
    expect(await passed(limits, name, 60, 70)).toHaveLength(60);
  });

  it('reports the remaining requests, the time until it is full, and when to retry', async () => {
    const limits = await open();
    const name = freshName();
    expect(await limits.take(name, 3)).toEqual({ limit: 3, remaining: 2, resetSeconds: 20, retryAfterSeconds: null });
    await passed(limits, name, 3, 2);
    expect(await limits.take(name, 3)).toEqual({ limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 });
  });

  it('reports whole requests, also between two tokens', async () => {
    const limits = await open();
    const name = freshName();
    await limits.take(name, 7);
    clock.advance(1_000);
    const { remaining, resetSeconds } = await limits.take(name, 7);
    expect([remaining, resetSeconds]).toEqual([5, 17]);
  });

  it('is separate for each name', async () => {
    const limits = await open();
    const [a, b] = [freshName(), freshName()];
    await passed(limits, a, 5, 9);
    expect(await passed(limits, b, 5, 9)).toHaveLength(5);
  });
});

describe('token buckets in the database', () => {
  it('are shared: four processes together admit as many requests as one', async () => {
    const processes = await Promise.all(
      Array.from({ length: 4 }, () => sharedRateLimits({ database, clock, storeTimeoutMs: PATIENT_MS })),
    );
    const name = freshName();
    const perProcess = await Promise.all(processes.map((limits) => passed(limits, name, 100, 60)));
    expect(perProcess.flat()).toHaveLength(100);
  });

  it('match buckets in memory over 300 random requests', async () => {
    const random = seeded(20260302);
    const limits = await sharedRateLimits({ database, clock, storeTimeoutMs: PATIENT_MS });
    const name = freshName();
    let bucket: Parameters<typeof draw>[0];
    for (let i = 0; i < 300; i++) {
      clock.advance(Math.floor(random() * 400));
      const expected = draw(bucket, 120, clock.nowMs(), 1);
      bucket = expected.bucket;
      const decision = await limits.take(name, 120);
      expect(decision.retryAfterSeconds === null).toBe(expected.granted === 1);
    }
  });

  it('fail safe: each process limits by itself without the store, and retries the store after a pause', async () => {
    const absent = { ...database, db: brokenDb() } as unknown as Database;
    let away = 0;
    const limits = await sharedRateLimits({ database: absent, clock, onStoreAway: () => away++ });
    const name = freshName();
    expect(await passed(limits, name, 20, 30)).toHaveLength(20);
    expect(away).toBe(1);
    clock.advance(2_001);
    await limits.take(name, 20);
    expect(away).toBe(2);
  });

  it('fail safe: an unresponsive store delays one request, not each', async () => {
    const stuck = { ...database, db: brokenDb(() => new Promise(() => {})) } as unknown as Database;
    let away = 0;
    const limits = await sharedRateLimits({ database: stuck, clock, storeTimeoutMs: 20, onStoreAway: () => away++ });
    expect(await passed(limits, freshName(), 20, 30)).toHaveLength(20);
    expect(away).toBe(1);
  });
});

/** A database handle that fails every update. */
const brokenDb = (update: () => Promise<unknown> = () => Promise.reject(new Error('no server'))) => ({
  collection: () => ({ findOneAndUpdate: update, createIndex: async () => 'index' }),
});

describe('wrong keys from one address', () => {
  it('block the address when there are too many, until time passes', () => {
    const logins = new FailedLogins(3, clock);
    for (let i = 0; i < 3; i++) {
      expect(logins.waitSeconds('10.0.0.1')).toBeNull();
      logins.note('10.0.0.1');
    }
    expect(logins.waitSeconds('10.0.0.1')).toBe(20);
    expect(logins.waitSeconds('10.0.0.2')).toBeNull();
    clock.advance(20_000);
    expect(logins.waitSeconds('10.0.0.1')).toBeNull();
  });

  it('are not counted when the limit is off', () => {
    const logins = new FailedLogins(0, clock);
    for (let i = 0; i < 5; i++) logins.note('10.0.0.1');
    expect(logins.waitSeconds('10.0.0.1')).toBeNull();
  });
});

import type { Db } from 'mongodb';
import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../clock/clock.js';

// Token buckets over the library's limiters, in memory and in the database.

const MINUTE_MS = 60_000;

/** A token bucket, counted from its full end: `used` drains at the bucket's rate. An unknown bucket is full. */
interface Bucket {
  readonly used: number;
  readonly atMs: number;
}

interface Draw {
  readonly bucket: Bucket;
  /** Granted tokens: the wanted number, or the remainder. */
  readonly granted: number;
}

/** Operations on values of this process, or on expressions that the database evaluates. */
interface Arithmetic<N> {
  plus(a: N, b: N): N;
  minus(a: N, b: N): N;
  times(a: N, factor: number): N;
  floor(a: N): N;
  min(a: N, b: N): N;
  max(a: N, b: N): N;
}

const NUMBERS: Arithmetic<number> = {
  plus: (a, b) => a + b,
  minus: (a, b) => a - b,
  times: (a, factor) => a * factor,
  floor: Math.floor,
  min: Math.min,
  max: Math.max,
};

const EXPRESSIONS: Arithmetic<unknown> = {
  plus: (...both) => ({ $add: both }),
  minus: (...both) => ({ $subtract: both }),
  times: (...both) => ({ $multiply: both }),
  floor: (a) => ({ $floor: a }),
  min: (...both) => ({ $min: both }),
  max: (...both) => ({ $max: both }),
};

/** The use of a bucket at `now`. A clock that went back must not refill twice. */
const drained = <N>({ max, minus, times }: Arithmetic<N>, used: N, at: N, now: N, zero: N, perMinute: number): N =>
  max(zero, minus(used, times(max(zero, minus(now, at)), perMinute / MINUTE_MS)));

const grantedOf = <N>({ min, max, minus, floor }: Arithmetic<N>, used: N, wanted: N, zero: N, perMinute: N): N =>
  min(wanted, max(zero, floor(minus(perMinute, used))));

/** Takes up to `wanted` tokens; a refusal takes none. @param perMinute capacity, and refill per minute */
export function draw(bucket: Bucket | undefined, perMinute: number, nowMs: number, wanted: number): Draw {
  const { used: before, atMs } = bucket ?? { used: 0, atMs: nowMs };
  const used = drained(NUMBERS, before, atMs, nowMs, 0, perMinute);
  const granted = grantedOf(NUMBERS, used, wanted, 0, perMinute);
  return { bucket: { used: NUMBERS.plus(used, granted), atMs: NUMBERS.max(nowMs, atMs) }, granted };
}

/** Until the bucket is full again. */
export const untilFullMs = (used: number, perMinute: number): number => (used * MINUTE_MS) / perMinute;

/** Until one more token is there. */
const untilNextMs = (used: number, perMinute: number): number =>
  Math.max(0, ((used + 1 - perMinute) * MINUTE_MS) / perMinute);

/** The library's result with the number of granted tokens. */
export class Drawn extends RateLimiterRes {
  readonly granted: number;
  readonly used: number;

  /** The library receives a refusal as one point over the limit; `used` is the real content of the bucket. */
  constructor(used: number, granted: number, perMinute: number) {
    const refused = granted === 0;
    super(
      Math.max(0, Math.floor(perMinute - used)),
      Math.ceil(refused ? untilNextMs(used, perMinute) : untilFullMs(used, perMinute)),
      refused ? perMinute + 1 : used,
      false,
    );
    this.granted = granted;
    this.used = used;
  }
}

/** Names come from outside (addresses); the one longest unused goes first. */
const MAX_BUCKETS = 50_000;

/** The library's memory limiter with token buckets; at the edges of fixed windows twice the limit would pass. */
export class MemoryBucketLimiter extends RateLimiterMemory {
  readonly #storage: BucketStorage;

  constructor(perMinute: number, clock: Clock) {
    super({ points: perMinute, duration: 60 });
    this.#storage = new BucketStorage(perMinute, clock);
    // Where the library's limiter keeps its counts.
    Object.assign(this, { _memoryStorage: this.#storage });
  }

  /** Returns the remaining tokens, without taking any. */
  peek(key: string): Drawn {
    return this.#storage.incrby(this.getKey(key), 0);
  }
}

/** The part of the library's memory storage that its limiter calls. */
class BucketStorage {
  readonly #buckets = new Map<string, Bucket>();
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  incrby(key: string, points: number): Drawn {
    const { bucket, granted } = draw(this.#buckets.get(key), this.#perMinute, this.#clock.monotonicMs(), points);
    if (granted > 0) this.#keep(key, bucket);
    return new Drawn(bucket.used, granted, this.#perMinute);
  }

  set(key: string, points: number): Drawn {
    this.#keep(key, { used: points, atMs: this.#clock.monotonicMs() });
    return new Drawn(points, points, this.#perMinute);
  }

  get(key: string): Drawn | null {
    return this.#buckets.has(key) ? this.incrby(key, 0) : null;
  }

  delete(key: string): boolean {
    return this.#buckets.delete(key);
  }

  #keep(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= MAX_BUCKETS) return;
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}

const LIMITS_COLLECTION = 'rate_limits';

/** One bucket as it is stored. */
interface BucketRow {
  readonly key: string;
  readonly used: number;
  readonly granted: number;
}

/**
 * The library's MongoDB limiter with buckets in place of its fixed windows: one atomic update refills and takes, the same
 * arithmetic as `draw`. Times are those of the asking process; a clock behind the others only refills later.
 */
export class MongoBucketLimiter extends RateLimiterMongo {
  readonly #db: Db;
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(db: Db, perMinute: number, clock: Clock) {
    super({
      storeClient: db,
      points: perMinute,
      duration: 60,
      tableName: LIMITS_COLLECTION,
      disableIndexesCreation: true,
    });
    this.#db = db;
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Called by the library for every take. */
  _upsert(key: string, points: number): Promise<BucketRow | null> {
    const now = new Date(this.#clock.nowMs());
    const rows = this.#db.collection<BucketRow>(LIMITS_COLLECTION, { writeConcern: { w: 1 } });
    const options = { upsert: true, returnDocument: 'after' } as const;
    return rows.findOneAndUpdate({ key }, takeStages(now, this.#perMinute, points), options);
  }

  /** Called by the library with what `_upsert` gave. */
  _getRateLimiterRes(_key: string, _points: number, row: BucketRow | null): Drawn {
    if (row === null) throw new Error('a rate limit was not stored');
    return new Drawn(row.used, row.granted, this.#perMinute);
  }
}

/** `draw` as stages of an update. */
function takeStages(now: Date, perMinute: number, wanted: number): Record<string, unknown>[] {
  const [before, at] = [{ $ifNull: ['$used', 0] }, { $ifNull: ['$at', now] }];
  return [
    { $set: { used: drained(EXPRESSIONS, before, at, now, 0, perMinute), at: EXPRESSIONS.max(now, '$at') } },
    { $set: { granted: grantedOf(EXPRESSIONS, '$used', wanted, 0, perMinute) } },
    { $set: { used: EXPRESSIONS.plus('$used', '$granted'), expire: new Date(now.getTime() + MINUTE_MS) } },
  ];
}

export async function prepareLimits(db: Db): Promise<void> {
  const rows = db.collection(LIMITS_COLLECTION);
  await rows.createIndex({ key: 1 }, { unique: true });
  await rows.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
}

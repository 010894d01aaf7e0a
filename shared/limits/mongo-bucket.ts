import type { Db } from 'mongodb';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { Clock } from '../clock/clock.js';
import { Drawn } from './drawn.js';

export const LIMITS_COLLECTION = 'rate_limits';
const MINUTE_MS = 60_000;

/** One bucket as it is stored. */
interface BucketRow {
  readonly key: string;
  readonly used: number;
  readonly granted: number;
}

/**
 * The library's MongoDB limiter with buckets in place of its fixed windows: one atomic update refills and takes, the same
 * arithmetic as `draw` (token-bucket.ts). Times are those of the asking process; a clock behind the others only refills later.
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

function takeStages(now: Date, perMinute: number, wanted: number): Record<string, unknown>[] {
  const elapsedMs = { $max: [0, { $subtract: [now, { $ifNull: ['$at', now] }] }] };
  const refill = { $multiply: [elapsedMs, perMinute / MINUTE_MS] };
  const left = { $max: [0, { $floor: { $subtract: [perMinute, '$used'] } }] };
  return [
    { $set: { used: { $max: [0, { $subtract: [{ $ifNull: ['$used', 0] }, refill] }] }, at: { $max: [now, '$at'] } } },
    { $set: { granted: { $min: [wanted, left] } } },
    { $set: { used: { $add: ['$used', '$granted'] }, expire: new Date(now.getTime() + MINUTE_MS) } },
  ];
}

export async function prepareLimits(db: Db): Promise<void> {
  const rows = db.collection(LIMITS_COLLECTION);
  await rows.createIndex({ key: 1 }, { unique: true });
  await rows.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
}

import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../clock/clock.js';
import { Drawn } from './drawn.js';
import { type Bucket, draw } from './token-bucket.js';

/** Names come from outside (addresses); the one longest unused goes first. */
const MAX_BUCKETS = 50_000;

/** The library's memory limiter with buckets in place of its fixed windows: nobody gets twice the limit at a window's edge. */
export class MemoryBucketLimiter extends RateLimiterMemory {
  readonly #storage: BucketStorage;

  constructor(perMinute: number, clock: Clock) {
    super({ points: perMinute, duration: 60 });
    this.#storage = new BucketStorage(perMinute, clock);
    // Where the library's limiter keeps its counts.
    Object.assign(this, { _memoryStorage: this.#storage });
  }

  /** What is left, without taking any. */
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

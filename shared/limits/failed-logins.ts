import type { Clock } from '../clock/clock.js';
import { MemoryBucketLimiter } from './memory-bucket.js';

/** Failed authentications by address, in this process alone: it is there to spare the database, and asks nobody. */
export class FailedLogins {
  readonly #limiter: MemoryBucketLimiter | null;

  /** @param perMinute 0 switches it off. */
  constructor(perMinute: number, clock: Clock) {
    this.#limiter = perMinute === 0 ? null : new MemoryBucketLimiter(perMinute, clock);
  }

  /** Seconds to wait before a key from this address is looked at again; null when it may be. */
  waitSeconds(address: string): number | null {
    const state = this.#limiter?.peek(address);
    if (state === undefined || state.remainingPoints > 0) return null;
    return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  }

  note(address: string): void {
    // A refusal here means that the limit is reached, which is what waitSeconds tells.
    this.#limiter?.consume(address).catch(() => undefined);
  }
}

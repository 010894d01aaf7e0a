import { RateLimiterRes } from 'rate-limiter-flexible';
import { untilFullMs, untilNextMs } from './token-bucket.js';

/** rate-limiter-flexible's answer, with how many tokens were given. */
export class Drawn extends RateLimiterRes {
  readonly granted: number;
  readonly used: number;

  /** A refusal is told to the library as one point over the limit; `used` is what the bucket really holds. */
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

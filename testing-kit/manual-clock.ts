import { type Clock, isoTime } from '../shared/clock/clock.js';
import type { TestClock } from './api.js';

/** The service's clock in a test; it only moves on `advance`. */
export class ManualClock implements Clock, TestClock {
  #epochMs: number;
  #monotonicMs = 0;

  constructor(iso: string) {
    this.#epochMs = Date.parse(iso);
    if (Number.isNaN(this.#epochMs)) throw new RangeError('`now` must be a time in ISO 8601');
  }

  get now(): string {
    return isoTime(this.#epochMs);
  }

  nowMs(): number {
    return this.#epochMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#epochMs += ms;
    this.#monotonicMs += ms;
  }
}

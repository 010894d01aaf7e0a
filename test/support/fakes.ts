import { pino } from 'pino';
import type { Clock } from '../../shared/clock/clock.js';
import type { Randomness } from '../../shared/ids/ids.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { seeded } from './random.js';

/** A clock that stands until it is moved. */
export class ManualClock implements Clock {
  #epochMs: number;
  #monotonicMs = 1_000;

  constructor(iso = '2026-03-02T14:11:10.004Z') {
    this.#epochMs = Date.parse(iso);
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

/** Bytes that are the same in every run of a test. */
export function seededRandomness(seed: number): Randomness {
  const random = seeded(seed);
  return {
    fill(target) {
      for (let i = 0; i < target.length; i++) target[i] = Math.floor(random() * 256);
      return target;
    },
  };
}

/** A logger, and the lines that it wrote. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(line) }), lines };
}

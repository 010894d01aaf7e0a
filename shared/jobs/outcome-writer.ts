import type { Clock } from '../clock/clock.js';
import { delay } from '../clock/timers.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import type { Settlement } from './row-store.js';

/** Waits between attempts to write outcomes while the database is away; the lease ends the attempts. */
const RETRY_MS = 250;

interface OutcomeWriterDeps {
  readonly settle: (settlements: readonly Settlement[]) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onLost: (count: number) => void;
}

/** The server rejected rows of the write, and would reject them again. Tested by name: only shared/db knows the driver. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'MongoBulkWriteError';

/**
 * Writes outcomes in groups: while one write is under way the next ones gather, so that a durable write is shared by all
 * rows that ended meanwhile.
 */
export class OutcomeWriter {
  readonly #deps: OutcomeWriterDeps;
  #gathering: Settlement[] = [];
  #next: Promise<void> | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(deps: OutcomeWriterDeps) {
    this.#deps = deps;
  }

  /** Resolves when the outcome is durable, or given up: then the lease ends and the row comes again. */
  write(settlement: Settlement, untilMs: () => number): Promise<void> {
    this.#gathering.push(settlement);
    this.#next ??= this.#underWay.then(() => {
      const batch = this.#gathering;
      this.#gathering = [];
      this.#next = undefined;
      this.#underWay = this.#attempt(batch, untilMs);
      return this.#underWay;
    });
    return this.#next;
  }

  async #attempt(batch: readonly Settlement[], untilMs: () => number): Promise<void> {
    const { settle, clock, logger, onLost } = this.#deps;
    for (;;) {
      try {
        const lost = await settle(batch);
        if (lost > 0) onLost(lost);
        return;
      } catch (error) {
        logger.warn({ ...describeUnexpected(error), rows: batch.length }, 'outcomes could not be written');
        if (isRefusal(error) || clock.nowMs() + RETRY_MS >= untilMs()) return;
      }
      await delay(RETRY_MS);
    }
  }
}

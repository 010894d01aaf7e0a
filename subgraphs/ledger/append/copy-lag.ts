import type { Clock } from '../../../shared/clock/clock.js';
import type { WormAcknowledge } from '../../../shared/config/worm-acknowledge.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Logger } from '../../../shared/telemetry/logger.js';

const RETRY_AFTER_SECONDS = 2;

/** A chain with rows that wait for their copies. */
interface OwingChain {
  /** Monotonic time since which its oldest row waits; null without such rows. */
  readonly owesSinceMs: number | null;
}

/**
 * The write-once copies that this process owes after it answered (docs/adr/0135). Each is derived from a durable row, so this
 * measures the lag and holds no bytes.
 */
export class CopyLag {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #settings: WormAcknowledge;
  readonly #chains = new Set<OwingChain>();
  #isOver = false;
  #isClosed = false;

  constructor(deps: { readonly clock: Clock; readonly logger: Logger }, settings: WormAcknowledge) {
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#settings = settings;
  }

  /** True if an answer waits for the database alone. */
  get isAllowed(): boolean {
    return this.#settings.by === 'database';
  }

  /** True once the process stops: the next start copies the other rows. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  watch(chain: OwingChain): void {
    this.#chains.add(chain);
  }

  /** Returns the age of the oldest row without a copy. */
  get lagMs(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const chain of this.#chains) {
      const { owesSinceMs } = chain;
      if (owesSinceMs === null) this.#chains.delete(chain);
      else oldest = Math.min(oldest, owesSinceMs);
    }
    return Math.max(0, this.#clock.monotonicMs() - oldest);
  }

  /** @throws UNAVAILABLE while the lag exceeds its bound */
  requireInBound(): void {
    const isOver = this.lagMs > this.#settings.maxLagMs;
    if (isOver !== this.#isOver) this.#report(isOver);
    if (!isOver) return;
    const internal = `the write-once copies lag more than ${this.#settings.maxLagMs} ms`;
    throw problem('UNAVAILABLE', { internal, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #report(isOver: boolean): void {
    this.#isOver = isOver;
    if (isOver) this.#logger.error({ lag_ms: this.lagMs }, 'the write-once copies exceed their lag: writes answer 503');
    else this.#logger.info('the write-once copies are within their lag again');
  }
}

import type { Clock } from '../../shared/clock/clock.js';

interface BreakerOptions {
  readonly clock: Clock;
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open before one call may try again. */
  readonly openMs: number;
}

/**
 * Stops calling an address that does not answer: after some failures in a row it is open for a while, then lets one
 * call through, and that call decides. An answer of the subgraph, even an error, is not a failure.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #trying = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Whether a call may go out now. True is a claim: the caller must report `succeeded` or `failed`. */
  admit(): boolean {
    if (this.#failures < this.#options.failures) return true;
    if (this.#trying || this.retryAfterMs > 0) return false;
    this.#trying = true;
    return true;
  }

  /** Time until a call may try again; 0 when it may now. */
  get retryAfterMs(): number {
    if (this.#failures < this.#options.failures) return 0;
    return Math.max(0, this.#openedAtMs + this.#options.openMs - this.#options.clock.monotonicMs());
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trying = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#trying = false;
    if (this.#failures >= this.#options.failures) this.#openedAtMs = this.#options.clock.monotonicMs();
  }
}

import { Pool } from 'undici';
import type { Clock } from '../../shared/clock/clock.js';
import { Breaker } from './breaker.js';

const CONNECTIONS = 64;
const CONNECT_TIMEOUT_MS = 1_000;
const BREAKER_FAILURES = 5;
const BREAKER_OPEN_MS = 500;

/** One process of a subgraph: its connections and its breaker. */
export interface Address {
  readonly pool: Pool;
  readonly breaker: Breaker;
}

export const addressOf = (url: string, clock: Clock, timeoutMs: number): Address => ({
  pool: new Pool(url, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  }),
  breaker: new Breaker({ clock, failures: BREAKER_FAILURES, openMs: BREAKER_OPEN_MS }),
});

/** Rotates over the addresses and skips those with an open breaker. */
export class AddressList {
  readonly addresses: readonly Address[];
  #next = 0;

  constructor(addresses: readonly Address[]) {
    this.addresses = addresses;
  }

  /** An address that may be called now, other than those in `tried` where there is one; undefined when none may. */
  take(tried: ReadonlySet<Address>): Address | undefined {
    const count = this.addresses.length;
    for (let i = 0; i < count; i++) {
      const address = this.addresses[(this.#next + i) % count];
      if (!address || tried.has(address) || !address.breaker.admit()) continue;
      this.#next = (this.#next + i + 1) % count;
      return address;
    }
    return undefined;
  }
}

import type { Clock } from '../clock/clock.js';
import { sha256Hex } from '../crypto/hash.js';
import { MemoryBucketLimiter } from './buckets.js';

/** Limit of remembered keys; the oldest is forgotten first. */
const MAX_PROVEN_KEYS = 20_000;

/** Counts failed authentications by address in this process; it protects the database and does not use it. */
export class FailedLogins {
  readonly #limiter: MemoryBucketLimiter | null;
  /** By key id, in the order in which they proved good. */
  readonly #hashOf = new Map<string, string>();
  readonly #provenHashes = new Set<string>();

  /** @param perMinute 0 switches it off. */
  constructor(perMinute: number, clock: Clock) {
    this.#limiter = perMinute === 0 ? null : new MemoryBucketLimiter(perMinute, clock);
  }

  /** Seconds until the next attempt from this address is checked; null for at once. */
  waitSeconds(address: string): number | null {
    const state = this.#limiter?.peek(address);
    if (state === undefined || state.remainingPoints > 0) return null;
    return Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  }

  /**
   * True for a key that has authenticated before: it is checked even if its address presents wrong keys. Otherwise one
   * caller behind a proxy could lock out all others. Guesses never match, so they cost no look-up.
   */
  isProven(apiKey: string): boolean {
    return this.#provenHashes.size > 0 && this.#provenHashes.has(sha256Hex(apiKey));
  }

  /** Remembers the hash of a valid key by its id. */
  prove(keyId: string, apiKey: string): void {
    if (this.#limiter === null || this.#hashOf.has(keyId)) return;
    const hash = sha256Hex(apiKey);
    this.#hashOf.set(keyId, hash);
    this.#provenHashes.add(hash);
    if (this.#hashOf.size > MAX_PROVEN_KEYS) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const [keyId, hash] of this.#hashOf) {
      this.#hashOf.delete(keyId);
      this.#provenHashes.delete(hash);
      return;
    }
  }

  note(address: string): void {
    // A refusal means that the limit is reached; waitSeconds reports it.
    this.#limiter?.consume(address).catch(() => undefined);
  }
}

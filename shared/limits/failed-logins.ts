import type { Clock } from '../clock/clock.js';
import { sha256Hex } from '../crypto/hash.js';
import { MemoryBucketLimiter } from './memory-bucket.js';

/** More keys than one process serves in a while; the longest known is forgotten first. */
const MAX_PROVEN_KEYS = 20_000;

/** Failed authentications by address, in this process alone: it is there to spare the database, and asks nobody. */
export class FailedLogins {
  readonly #limiter: MemoryBucketLimiter | null;
  /** By key id, in the order in which they proved good. */
  readonly #hashOf = new Map<string, string>();
  readonly #provenHashes = new Set<string>();

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

  /**
   * A key that was good here before is looked at however many wrong ones its address presents: behind a proxy a stranger
   * would otherwise lock everybody out. Nobody can guess such a key, so that this spends no look-up on guesses.
   */
  isProven(apiKey: string): boolean {
    return this.#provenHashes.size > 0 && this.#provenHashes.has(sha256Hex(apiKey));
  }

  /** A key that was found to be good: hashed once, and remembered by its id. */
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
    // A refusal here means that the limit is reached, which is what waitSeconds tells.
    this.#limiter?.consume(address).catch(() => undefined);
  }
}

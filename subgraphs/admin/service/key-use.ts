import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { ApiKeys, KeyUsed } from './ports.js';

/** `last_used_at` and the address beside it are as exact as this, and costs at most one write a key in this time. */
export const USE_WRITE_INTERVAL_MS = 60_000;

/** Writes down when keys were last used, off the request's path: noting never waits and never fails a request. */
export class KeyUse {
  readonly #keys: Pick<ApiKeys, 'markUsed'>;
  readonly #logger: Logger;
  /** Key → when its last write was begun; entries older than the interval are dropped at the next write. */
  readonly #written = new Map<string, number>();
  #waiting = new Map<string, KeyUsed>();
  #writing: Promise<void> | undefined;

  constructor(keys: Pick<ApiKeys, 'markUsed'>, logger: Logger) {
    this.#keys = keys;
    this.#logger = logger;
  }

  note(keyId: string, nowMs: number, address: string | null): void {
    const last = this.#written.get(keyId);
    if (last !== undefined && nowMs - last < USE_WRITE_INTERVAL_MS) return;
    this.#written.set(keyId, nowMs);
    this.#waiting.set(keyId, { at: new Date(nowMs), address });
    this.#writing ??= this.#writeAll(nowMs);
  }

  /** Resolves when everything noted so far is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(nowMs: number): Promise<void> {
    for (const [keyId, writtenMs] of this.#written) {
      if (nowMs - writtenMs >= USE_WRITE_INTERVAL_MS) this.#written.delete(keyId);
    }
    while (this.#waiting.size > 0) {
      const uses = this.#waiting;
      this.#waiting = new Map();
      await this.#write(uses);
    }
    // In the same turn as the last look at what waits, so that nothing noted in between is left behind.
    this.#writing = undefined;
  }

  async #write(uses: ReadonlyMap<string, KeyUsed>): Promise<void> {
    try {
      await this.#keys.markUsed(uses);
    } catch (error) {
      // The time of last use is a convenience; losing a minute of it must not lose a request.
      this.#logger.warn({ ...describeUnexpected(error), keys: uses.size }, 'last use of API keys was not written');
    }
  }
}

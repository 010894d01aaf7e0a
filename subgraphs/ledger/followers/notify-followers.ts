import { delay } from '../../../shared/clock/timers.js';
import type { LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';

/** Interval between two signals for one tenant, in ms; growth in between joins the next signal. */
const GATHER_MS = 10;
/** Interval for a tenant without followers, or with an unreachable follower, while it grows, in ms. */
const QUIET_MS = 200;

interface NotifierDeps {
  readonly ledgerFollower: LedgerFollower;
  readonly logger: Logger;
}

/**
 * Signals to the followers in other subgraphs that chains have grown: the first growth at once, later growth gathered.
 * A signal is a hint: a follower finds a lost one by its own look.
 */
export class FollowerNotifier {
  readonly #deps: NotifierDeps;
  /**
   * Chains that have grown since the last signal, by tenant; a tenant has an entry while its signals are being sent.
   */
  readonly #grown = new Map<string, Set<string>>();
  #closed = false;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  grown(tenantId: string, sourceSystem: string): void {
    const known = this.#grown.get(tenantId);
    if (known) {
      known.add(sourceSystem);
      return;
    }
    if (this.#closed) return;
    this.#grown.set(tenantId, new Set([sourceSystem]));
    void this.#notify(tenantId);
  }

  close(): void {
    this.#closed = true;
  }

  async #notify(tenantId: string): Promise<void> {
    for (;;) {
      const chains = this.#grown.get(tenantId) ?? new Set();
      if (chains.size === 0 || this.#closed) {
        this.#grown.delete(tenantId);
        return;
      }
      this.#grown.set(tenantId, new Set());
      const received = await this.#send(tenantId, [...chains]);
      // No follower received it: repeat it with the growth since then.
      if (received === undefined) for (const chain of chains) this.grown(tenantId, chain);
      await delay(received === true ? GATHER_MS : QUIET_MS);
    }
  }

  /** @returns whether there is a follower; undefined if it could not be reached. */
  async #send(tenantId: string, chains: readonly string[]): Promise<boolean | undefined> {
    try {
      // The name comes from a row that was appended for a tenant that was looked up.
      return await this.#deps.ledgerFollower.grown(tenantId as TenantId, chains);
    } catch (error) {
      if (!this.#closed)
        this.#deps.logger.debug(describeUnexpected(error), 'a follower of the ledger was not signalled');
      return undefined;
    }
  }
}

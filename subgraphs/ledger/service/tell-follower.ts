import { delay } from '../../../shared/clock/timers.js';
import type { LedgerFollower } from '../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';

/** Between two words about one tenant: what grows meanwhile is told by the next. */
const GATHER_MS = 10;
/** A tenant whom nobody follows, or whose follower cannot be reached, is asked about this often while it grows. */
const QUIET_MS = 200;

export interface TellerDeps {
  readonly ledgerFollower: LedgerFollower;
  readonly logger: Logger;
}

/**
 * Tells whoever follows the ledger from another subgraph that chains have grown: the first growth at once, what follows it
 * gathered. A hint: what is lost here the follower finds by its own look.
 */
export class FollowerTeller {
  readonly #deps: TellerDeps;
  /** Chains that have grown since the last word, by tenant; a tenant is there while it is being told about. */
  readonly #grown = new Map<string, Set<string>>();
  #closed = false;

  constructor(deps: TellerDeps) {
    this.#deps = deps;
  }

  grown(tenantId: string, sourceSystem: string): void {
    const telling = this.#grown.get(tenantId);
    if (telling) {
      telling.add(sourceSystem);
      return;
    }
    if (this.#closed) return;
    this.#grown.set(tenantId, new Set([sourceSystem]));
    void this.#tell(tenantId);
  }

  close(): void {
    this.#closed = true;
  }

  async #tell(tenantId: string): Promise<void> {
    for (;;) {
      const chains = this.#grown.get(tenantId) ?? new Set();
      if (chains.size === 0 || this.#closed) {
        this.#grown.delete(tenantId);
        return;
      }
      this.#grown.set(tenantId, new Set());
      const heard = await this.#say(tenantId, [...chains]);
      // Nobody heard it: it is said again, with what has grown meanwhile.
      if (heard === undefined) for (const chain of chains) this.grown(tenantId, chain);
      await delay(heard === true ? GATHER_MS : QUIET_MS);
    }
  }

  /** @returns whether anybody follows; undefined when the follower could not be reached. */
  async #say(tenantId: string, chains: readonly string[]): Promise<boolean | undefined> {
    try {
      return await this.#deps.ledgerFollower.grown(tenantId as TenantId, chains);
    } catch (error) {
      if (!this.#closed) this.#deps.logger.debug(describeUnexpected(error), 'a follower of the ledger was not told');
      return undefined;
    }
  }
}

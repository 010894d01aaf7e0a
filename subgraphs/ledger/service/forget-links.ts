import type { Clock } from '../../../shared/clock/clock.js';
import type { ConsumerCursors } from './ports/consumer-cursors.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { LinkStore } from './ports/link-store.js';

export interface ForgetDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly links: LinkStore;
  readonly clock: Clock;
}

/**
 * Forgets all links; the running service, or the next one, makes them anew from the ledger. Exceptions are named after their
 * events: none is opened twice by it.
 */
export async function forgetLinks({ store, cursors, links, clock }: ForgetDeps): Promise<number> {
  let chains = 0;
  for await (const tenantId of store.tenantIds()) {
    for (const sourceSystem of await store.forTenant(tenantId).sourceSystems()) {
      const chain = { tenantId, sourceSystem };
      // Before and after: what the consumer made in between is not taken for done.
      await cursors.reset(chain, clock.nowMs());
      await links.forTenant(tenantId).clear(sourceSystem);
      await cursors.reset(chain, clock.nowMs());
      chains += 1;
    }
  }
  return chains;
}

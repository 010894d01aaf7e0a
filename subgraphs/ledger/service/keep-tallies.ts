import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { CountDeps } from './count-events.js';
import type { LedgerStore } from './ports/ledger-store.js';

/** Keeps tallies of what has been appended, so that no dashboard need wait for counting. Ends between chains when told to. */
export async function keepTallies(
  deps: CountDeps & { readonly store: LedgerStore },
  signal: AbortSignal,
): Promise<void> {
  for await (const tenantId of deps.store.tenantIds()) {
    const counts = deps.counts(tenantId);
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      if (signal.aborted) return;
      if (!isReservedSourceSystem(sourceSystem)) await deps.chains.tally(tenantId, counts, sourceSystem);
    }
  }
}

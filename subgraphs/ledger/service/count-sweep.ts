import { type Repeating, repeat } from '../../../shared/clock/timers.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { CountDeps } from './count-events.js';
import type { LedgerStore } from './ports/ledger-store.js';

/** A chain grows by a block at most this long before its tally is kept. */
const SWEEP_INTERVAL_MS = 60_000;

/** Keeps tallies of what has been appended, so that no dashboard need wait for counting. */
export function countSweep(deps: CountDeps & { readonly store: LedgerStore; readonly logger: Logger }): Repeating {
  const sweep = async (): Promise<void> => {
    for await (const tenantId of deps.store.tenantIds()) {
      const counts = deps.counts(tenantId);
      for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
        if (!isReservedSourceSystem(sourceSystem)) await deps.chains.tally(tenantId, counts, sourceSystem);
      }
    }
  };
  return repeat(SWEEP_INTERVAL_MS, sweep, (error) =>
    deps.logger.error(describeUnexpected(error), 'keeping counts failed'),
  );
}

import { delay } from '../../../shared/clock/timers.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerStore } from '../append/index.js';
import type { TreeKeeper } from './tree-keeper.js';

const TICK_MS = 1_000;
/** Ticks between two looks at all tenants; busy tenants get a turn at every tick. */
const LOOK_TICKS = 5;
/** After this time the run ends, and another process may take the next one. */
const RUN_TICKS = 60;
const TENANTS_AT_ONCE = 4;

interface KeepTreesDeps {
  readonly logger: Logger;
  readonly store: Pick<LedgerStore, 'tenantIds'>;
  readonly keeper: Pick<TreeKeeper, 'turn'>;
}

/**
 * Assigns tree places for all tenants: one turn per tenant every five seconds, and every second for those whose last
 * turn left work. Ends when no work is left, after a minute, or when the signal aborts.
 */
export async function keepTrees(deps: KeepTreesDeps, signal: AbortSignal): Promise<void> {
  let atWork: readonly string[] = [];
  for (let tick = 0; tick < RUN_TICKS; tick++) {
    if (tick > 0) await delay(TICK_MS);
    if (signal.aborted) return;
    atWork = await turns(deps, tick % LOOK_TICKS === 0 ? deps.store.tenantIds() : atWork, signal);
    if (atWork.length === 0) return;
  }
}

/** @returns the tenants that have work left. */
async function turns(
  { keeper, logger }: KeepTreesDeps,
  tenants: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const left: string[] = [];
  const running = new Set<Promise<void>>();
  const turn = async (tenantId: string): Promise<void> => {
    try {
      const { state } = await keeper.turn(tenantId as TenantId);
      if (state === 'pending' || state === 'busy') left.push(tenantId);
    } catch (error) {
      // A failure of one tenant does not stop the others; the next look retries it.
      logger.error({ ...describeUnexpected(error), tenant_id: tenantId }, 'updating the tree of a tenant failed');
    }
  };
  for await (const tenantId of tenants) {
    if (signal.aborted) break;
    if (running.size >= TENANTS_AT_ONCE) await Promise.race(running);
    const run: Promise<void> = turn(tenantId).finally(() => running.delete(run));
    running.add(run);
  }
  await Promise.all(running);
  return left;
}

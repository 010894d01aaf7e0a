import { delay } from '../../../shared/clock/timers.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { TreeKeeper } from './tree-keeper.js';

const TICK_MS = 1_000;
/** A look at every tenant each so many ticks, in between only at those that are at work. */
const LOOK_TICKS = 5;
/** Then the alarm rings again, perhaps for another process. */
const RUN_TICKS = 60;
const TENANTS_AT_ONCE = 4;

export interface KeepTreesDeps {
  readonly logger: Logger;
  readonly store: Pick<LedgerStore, 'tenantIds'>;
  readonly keeper: Pick<TreeKeeper, 'turn'>;
}

/**
 * Keeps the trees of all tenants up with their ledgers: a turn for everybody every five seconds, and every second for those
 * whose last turn left something. Ends when nobody has anything left, after a minute, or when told to.
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

/** @returns those that have something left. */
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
      // One tenant's trouble is not the others'; it comes again with the next look.
      logger.error({ ...describeUnexpected(error), tenant_id: tenantId }, 'the tree of a tenant was not kept up');
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

import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { ACTING_BY_ITSELF } from './change-document.js';
import type { GateStore } from './ports/gate-store.js';
import type { SweepCounts } from './ports/retention-store.js';
import { readRules } from './retention-rules.js';
import { type SweepDeps, sweepTenant } from './sweep-retention.js';

export interface SweepAllDeps extends SweepDeps {
  readonly gates: GateStore;
  readonly logger: Logger;
}

export const SWEEP_EVERY_MS = 24 * 3_600_000;
/** What was prepared and never let through is of no use to anybody by then. */
const STALE_MS = 24 * 3_600_000;
/** Uploads are looked at again so far back: ids of slow ones were made long before their end. */
const ORPHAN_OVERLAP_MS = 3 * 24 * 3_600_000;

const NOTHING: SweepCounts = { past_age: 0, disposed: 0, held: 0 };

/** Sweeps each tenant once a day. One tenant's trouble keeps no other waiting; the run counts as failed all the same. */
export async function sweepEveryTenant(deps: SweepAllDeps, signal: AbortSignal): Promise<void> {
  let failure: unknown;
  const isOver = (): boolean => signal.aborted;
  for (const tenantId of await deps.ledgerDisposal.tenantIds()) {
    if (signal.aborted) return;
    try {
      if (await isDue(deps, tenantId)) {
        const order = { sweepId: deps.ids.next('sweep'), dryRun: false, by: ACTING_BY_ITSELF.by, isOver };
        await sweepTenant(deps, tenantId, order);
        await dropStale(deps, tenantId);
      }
    } catch (error) {
      deps.logger.error(describeUnexpected(error), 'a retention sweep failed');
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  await removeOrphans(deps);
}

/** Rules that were set within the day are left to whoever set them: a day to look at a dry run, and to put them right. */
async function isDue(deps: SweepAllDeps, tenantId: TenantId): Promise<boolean> {
  const dayAgoMs = deps.clock.nowMs() - SWEEP_EVERY_MS;
  const last = await deps.sweeps.lastBy(tenantId, ACTING_BY_ITSELF.by);
  if (last !== null && last.getTime() > dayAgoMs) return false;
  const { updated_at } = await readRules(deps.rules, tenantId);
  return updated_at === null || updated_at.getTime() <= dayAgoMs;
}

async function dropStale(deps: SweepAllDeps, tenantId: TenantId): Promise<void> {
  const permits = await deps.gates.permits();
  const permitted = permits
    .filter(({ tenant_id }) => tenant_id === tenantId)
    .flatMap(({ deletion_ids }) => deletion_ids);
  await deps.disposals(tenantId).dropStale(new Date(deps.clock.nowMs() - STALE_MS), permitted);
}

/** Uploads that never became anything are of no tenant that could be told; a row of the reserved tenant keeps the place. */
async function removeOrphans(deps: SweepAllDeps): Promise<void> {
  const last = await deps.sweeps.lastBy(OPERATOR_TENANT, ACTING_BY_ITSELF.by);
  if (last !== null && last.getTime() > deps.clock.nowMs() - SWEEP_EVERY_MS) return;
  const removed = await deps.worm.removeOrphans(last === null ? 0 : Math.max(0, last.getTime() - ORPHAN_OVERLAP_MS));
  if (removed > 0) deps.logger.info({ removed }, 'uploads that never became a blob were removed');
  const sweep = {
    sweep_id: deps.ids.next('sweep'),
    tenant_id: OPERATOR_TENANT,
    at: new Date(deps.clock.nowMs()),
    by: ACTING_BY_ITSELF.by,
    dry_run: false,
    complete: true,
    events: NOTHING,
    documents: NOTHING,
    segments_dropped: [],
  };
  await deps.sweeps.save(sweep, []);
}

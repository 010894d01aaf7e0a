import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { VAULT_SERVICE } from '../documents/index.js';
import { readRules } from './change-rules.js';
import type { GateStore, SweepCounts } from './ports.js';
import { type SweepDeps, sweepTenant } from './sweep-tenant.js';

interface SweepAllDeps extends SweepDeps {
  readonly gates: GateStore;
  readonly logger: Logger;
}

const SWEEP_EVERY_MS = 24 * 3_600_000;
/** Age after which a prepared disposal that never passed is deleted. */
const STALE_MS = 24 * 3_600_000;
/** Orphaned uploads are searched this far back: slow uploads have old ids. */
const ORPHAN_OVERLAP_MS = 3 * 24 * 3_600_000;

const NOTHING: SweepCounts = { past_age: 0, disposed: 0, held: 0, damaged: 0 };

/** Sweeps each tenant once a day. A failure of one tenant does not stop the others, but fails the run. */
export async function sweepEveryTenant(deps: SweepAllDeps, signal: AbortSignal): Promise<void> {
  let failure: unknown;
  const isOver = (): boolean => signal.aborted;
  for (const tenantId of await deps.ledgerDisposal.tenantIds()) {
    if (signal.aborted) return;
    try {
      if (await isDue(deps, tenantId)) {
        const order = { sweepId: deps.ids.next('sweep'), dryRun: false, by: VAULT_SERVICE, isOver };
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

/** New rules apply after a day, which leaves time for a dry run and a correction. */
async function isDue(deps: SweepAllDeps, tenantId: TenantId): Promise<boolean> {
  const dayAgoMs = deps.clock.nowMs() - SWEEP_EVERY_MS;
  const last = await deps.sweeps.lastBy(tenantId, VAULT_SERVICE);
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

/** Orphaned uploads have no known tenant; a row of the operator tenant stores the progress. */
async function removeOrphans(deps: SweepAllDeps): Promise<void> {
  const last = await deps.sweeps.lastBy(OPERATOR_TENANT, VAULT_SERVICE);
  if (last !== null && last.getTime() > deps.clock.nowMs() - SWEEP_EVERY_MS) return;
  const removed = await deps.worm.removeOrphans(last === null ? 0 : Math.max(0, last.getTime() - ORPHAN_OVERLAP_MS));
  if (removed > 0) deps.logger.info({ removed }, 'uploads that never became a blob were removed');
  const sweep = {
    sweep_id: deps.ids.next('sweep'),
    tenant_id: OPERATOR_TENANT,
    at: new Date(deps.clock.nowMs()),
    by: VAULT_SERVICE,
    dry_run: false,
    complete: true,
    events: NOTHING,
    documents: NOTHING,
    segments_dropped: [],
  };
  await deps.sweeps.save(sweep, []);
}

import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { ANY_TENANT, isTenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { TENANT_MACHINE } from '../domain/tenant-states.js';
import { requireOperator, TENANTS, type TenantDeps } from './create-tenant.js';
import { platformAct } from './platform-act.js';
import type { TenantRecord, TenantStatus } from './ports.js';

export interface TenantPatch {
  readonly tenantId: string;
  readonly name?: string | undefined;
  readonly status?: TenantStatus | undefined;
  /** Null gives the deployment's limit back. */
  readonly rateLimitPerMinute?: number | null | undefined;
}

const MAX_ATTEMPTS = 5;

/**
 * Renames a tenant, suspends it, lets it go on, or sets its rate limit. A suspended tenant's keys are refused everywhere within 5 s, in this
 * process at once; its records stay as they are. What is as wanted already is no change, and leaves no entry.
 * @throws FORBIDDEN for all but a platform operator, NOT_FOUND.
 */
export async function changeTenant(
  deps: TenantDeps,
  context: RequestContext,
  patch: TenantPatch,
): Promise<TenantRecord> {
  requireOperator(context, 'Only a platform operator changes tenants.');
  const tenants = deps.tenants.within(ANY_TENANT);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isTenantId(patch.tenantId) ? await tenants.get(patch.tenantId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    const change = changeOf(deps, context, standing, patch);
    if (change.pending.length === 0) return standing;
    const changed = await tenants.change(standing.tenant_id, change);
    if (changed === null) continue;
    deps.directory.forget(standing.tenant_id);
    await deps.outbox.relay(TENANTS, standing.tenant_id, change.pending);
    return changed;
  }
  throw problem('CONFLICT', { message: 'The tenant is being changed by others; try again.' });
}

function changeOf(deps: TenantDeps, context: RequestContext, standing: TenantRecord, patch: TenantPatch) {
  const atMs = deps.clock.nowMs();
  const act = (type: string, payload: JsonObject = {}) =>
    platformAct(deps.ids, context, { type, tenantId: standing.tenant_id, atMs, payload });
  const limit = patch.rateLimitPerMinute;
  const isLimited = limit !== undefined && limit !== (standing.rate_limit_per_minute ?? null);
  const isRenamed = patch.name !== undefined && patch.name !== standing.name;
  const isMoved = patch.status !== undefined && patch.status !== standing.status;
  const action = patch.status === 'SUSPENDED' ? 'suspend' : 'reactivate';
  const step = isMoved ? transition(TENANT_MACHINE, standing.status, action) : null;
  return {
    from: standing.status,
    set: {
      ...(isRenamed ? { name: patch.name } : {}),
      ...(step === null ? {} : { status: step.to }),
      ...(isLimited ? { rate_limit_per_minute: limit } : {}),
    },
    pending: [
      ...(isRenamed ? [act('tenant.renamed')] : []),
      ...(isLimited ? [act('tenant.rate_limit_set', { rate_limit_per_minute: limit })] : []),
      ...(step?.emits ?? []).map((type) => act(type)),
    ],
  };
}

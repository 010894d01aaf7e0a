import { isOperator, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { ANY_TENANT, isTenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { changeRow } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { platformAct } from '../acts/index.js';
import { type Reach, reachOf, TENANT_MACHINE, type TenantStatus } from './domain.js';
import type { TenantRecord, Tenants } from './ports.js';

export interface TenantDeps extends WorkDeps {
  readonly tenants: Tenants;
  readonly clock: Clock;
}

interface NewTenant {
  readonly tenant_id: string;
  readonly name: string;
}

/**
 * Creates a tenant and the opaque id of its log, which is part of the genesis of each of its chains.
 *
 * @throws FORBIDDEN unless the caller is a platform operator, CONFLICT if the identifier is taken
 */
export async function createTenant(deps: TenantDeps, context: RequestContext, input: NewTenant): Promise<TenantRecord> {
  requireOperator(context, 'Only a platform operator creates tenants.');
  if (!isTenantId(input.tenant_id)) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/tenant_id', 'pattern', 'Must be a tenant identifier.')] });
  }
  const nowMs = deps.clock.nowMs();
  const { ids } = forWork(deps, context, 'create-tenant');
  const tenant: TenantRecord = {
    tenant_id: input.tenant_id,
    name: input.name,
    status: 'ACTIVE',
    log_id: ids.next('log'),
    created_at: new Date(nowMs),
  };
  const created = { type: 'tenant.created', tenantId: tenant.tenant_id, atMs: nowMs, payload: {} };
  if (await deps.tenants.insert(tenant, [platformAct(ids, context, created)])) return tenant;
  // The same work may have created the tenant before a crash: then its log has the id of this work.
  const current = await deps.tenants.within(ANY_TENANT).get(tenant.tenant_id);
  if (current?.log_id === tenant.log_id) return current;
  throw problem('CONFLICT', { message: 'The tenant_id is taken; choose another one.' });
}

interface TenantPatch {
  readonly tenantId: string;
  readonly name?: string | undefined;
  readonly status?: TenantStatus | undefined;
  /** Null restores the deployment's limit. */
  readonly rateLimitPerMinute?: number | null | undefined;
}

/**
 * Renames, suspends or reactivates a tenant, or sets its rate limit. Every process rejects the keys of a suspended tenant within
 * 5 s, this one at once; its records stay. A request that changes nothing leaves no entry.
 *
 * @throws FORBIDDEN unless the caller is a platform operator, NOT_FOUND, CONFLICT
 */
export async function changeTenant(
  deps: TenantDeps,
  context: RequestContext,
  patch: TenantPatch,
): Promise<TenantRecord> {
  requireOperator(context, 'Only a platform operator changes tenants.');
  const tenants = deps.tenants.within(ANY_TENANT);
  const read = async () => (isTenantId(patch.tenantId) ? tenants.get(patch.tenantId) : null);
  return changeRow('tenant', read, (current) => {
    const change = changeOf(deps, context, current, patch);
    return change.pending.length === 0 ? current : tenants.change(current.tenant_id, change);
  });
}

function changeOf(deps: TenantDeps, context: RequestContext, current: TenantRecord, patch: TenantPatch) {
  const atMs = deps.clock.nowMs();
  const act = (type: string, payload: JsonObject = {}) =>
    platformAct(deps.ids, context, { type, tenantId: current.tenant_id, atMs, payload });
  const limit = patch.rateLimitPerMinute;
  const isLimited = limit !== undefined && limit !== (current.rate_limit_per_minute ?? null);
  const isRenamed = patch.name !== undefined && patch.name !== current.name;
  const isMoved = patch.status !== undefined && patch.status !== current.status;
  const action = patch.status === 'SUSPENDED' ? 'suspend' : 'reactivate';
  const step = isMoved ? transition(TENANT_MACHINE, current.status, action) : null;
  return {
    from: current.status,
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

/** @throws FORBIDDEN unless the caller is a platform operator, whether the tenant exists or not. */
function requireOperator(context: RequestContext, message: string): void {
  requireScope(context, 'admin');
  if (!isOperator(context.principal)) throw problem('FORBIDDEN', { message });
}

/** Returns the tenants that a caller may see; ignores the tenant that an operator's request names. */
function visibleTo({ tenants }: Pick<TenantDeps, 'tenants'>, context: RequestContext) {
  requireScope(context, 'admin');
  const reach: Reach = reachOf(context.principal, null);
  return tenants.within(reach);
}

/** Lists the tenants that the caller may see: all for an operator, its own for a tenant's administrator. */
export const listTenants = async (
  deps: Pick<TenantDeps, 'tenants'>,
  context: RequestContext,
  query: ListQuery<TenantRecord>,
): Promise<Page<TenantRecord>> => visibleTo(deps, context).page(query);

/** @returns null alike for a missing tenant and for one that the caller may not see. */
export async function getTenant(
  deps: Pick<TenantDeps, 'tenants'>,
  context: RequestContext,
  tenantId: string,
): Promise<TenantRecord | null> {
  const visible = visibleTo(deps, context);
  return isTenantId(tenantId) ? visible.get(tenantId) : null;
}

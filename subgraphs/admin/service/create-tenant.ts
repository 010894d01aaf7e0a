import { isOperator, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { ANY_TENANT, isTenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { platformAct } from './platform-act.js';
import type { TenantRecord, Tenants } from './ports.js';
import type { CachedTenantDirectory } from './tenant-directory.js';

export interface TenantDeps extends WorkDeps {
  readonly tenants: Tenants;
  readonly directory: CachedTenantDirectory;
  readonly outbox: EffectRelay;
  readonly clock: Clock;
}

export interface NewTenant {
  readonly tenant_id: string;
  readonly name: string;
}

export const TENANTS = 'tenants';

/**
 * Makes a tenant and the opaque id of its log, which stands in the genesis of every chain it will have.
 * @throws FORBIDDEN for all but a platform operator, CONFLICT when the identifier is taken.
 */
export async function createTenant(deps: TenantDeps, context: RequestContext, input: NewTenant): Promise<TenantRecord> {
  requireOperator(context, 'Only a platform operator makes tenants.');
  if (!isTenantId(input.tenant_id)) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/tenant_id', 'pattern', 'Not a tenant identifier.')] });
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
  const pending = [platformAct(ids, context, created)];
  if (!(await deps.tenants.insert(tenant, pending))) return madeBefore(deps, tenant);
  deps.directory.forget(tenant.tenant_id);
  await deps.outbox.relay(TENANTS, tenant.tenant_id, pending);
  return tenant;
}

/** A tenant whose log has this work's id was made by this very work, before a crash. */
async function madeBefore(deps: TenantDeps, tenant: TenantRecord): Promise<TenantRecord> {
  const standing = await deps.tenants.within(ANY_TENANT).get(tenant.tenant_id);
  if (standing?.log_id === tenant.log_id) return standing;
  throw problem('CONFLICT', { message: 'There is a tenant with this tenant_id already.' });
}

/** @throws FORBIDDEN for all but a platform operator, whether the tenant that is spoken of is there or not. */
export function requireOperator(context: RequestContext, message: string): void {
  requireScope(context, 'admin');
  if (!isOperator(context.principal)) throw problem('FORBIDDEN', { message });
}

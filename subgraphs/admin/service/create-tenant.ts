import { isOperator, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { isTenantId } from '../../../shared/ids/tenant.js';
import type { TenantRecord, Tenants } from './ports.js';
import type { CachedTenantDirectory } from './tenant-directory.js';

export interface CreateTenantDeps {
  readonly tenants: Tenants;
  readonly directory: CachedTenantDirectory;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface NewTenant {
  readonly tenant_id: string;
  readonly name: string;
}

/**
 * Makes a tenant and the opaque id of its log, which stands in the genesis of every chain it will have.
 * @throws FORBIDDEN for all but a platform operator, CONFLICT when the identifier is taken.
 */
export async function createTenant(
  deps: CreateTenantDeps,
  context: RequestContext,
  input: NewTenant,
): Promise<TenantRecord> {
  requireScope(context, 'admin');
  if (!isOperator(context.principal)) {
    throw problem('FORBIDDEN', { message: 'Only a platform operator makes tenants.' });
  }
  if (!isTenantId(input.tenant_id)) {
    throw problem('VALIDATION_ERROR', { errors: [fault('/tenant_id', 'pattern', 'Not a tenant identifier.')] });
  }
  const tenant: TenantRecord = {
    tenant_id: input.tenant_id,
    name: input.name,
    status: 'ACTIVE',
    log_id: deps.ids.next('log'),
    created_at: new Date(deps.clock.nowMs()),
  };
  if (!(await deps.tenants.insert(tenant))) {
    throw problem('CONFLICT', { message: 'There is a tenant with this tenant_id already.' });
  }
  deps.directory.forget(tenant.tenant_id);
  return tenant;
}

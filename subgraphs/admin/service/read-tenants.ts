import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { isTenantId } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { type Reach, reachOf } from '../domain/key-grant.js';
import type { TenantQuery, TenantRecord, Tenants } from './ports.js';

// The area of tenants is about no one tenant, so a tenant that an operator's request happens to name does not narrow it.
const reachOfRequest = (context: RequestContext): Reach => reachOf(context.principal, null);

/** The tenants that the caller may see: an operator all of them, a tenant's administrator its own. */
export async function listTenants(
  tenants: Tenants,
  context: RequestContext,
  query: TenantQuery,
): Promise<Page<TenantRecord>> {
  requireScope(context, 'admin');
  const rows = await tenants.within(reachOfRequest(context)).list(query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.tenant_id }));
}

/** Null for a tenant that is not there and for one that the caller may not see: the two must not differ. */
export async function getTenant(
  tenants: Tenants,
  context: RequestContext,
  tenantId: string,
): Promise<TenantRecord | null> {
  requireScope(context, 'admin');
  return isTenantId(tenantId) ? tenants.within(reachOfRequest(context)).get(tenantId) : null;
}

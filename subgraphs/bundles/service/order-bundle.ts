import type { RequestContext } from '../../../shared/auth/context.js';
import type { BundleOrder } from '../../../shared/contracts/bundle-orders.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { makeBundle, type RequestDeps } from './request-bundle.js';

/**
 * A full bundle over one member, for a part of the service that has fixed its identifier. Once it stands, ordering it again
 * changes nothing, whatever has become of it.
 */
export async function orderBundle(
  deps: RequestDeps,
  context: RequestContext,
  tenantId: TenantId,
  { bundle_id, member_id, requested_by }: BundleOrder,
): Promise<void> {
  if ((await deps.bundles(tenantId).get(bundle_id)) !== null) return;
  const scope = { tenant_id: tenantId, member_id };
  // The member's own access to what there is of them: no consent is asked.
  const what = { bundle_type: 'MEMBER', scope, profile: 'full', consent: null } as const;
  await makeBundle(deps, context, tenantId, { ...what, requested_by, regenerated_from: null }, bundle_id);
}

import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BundleScope } from '../bundles/domain/index.js';
import type { BuildDeps } from './build-deps.js';
import { signedSize } from './reject-minimal.js';
import { placesOf } from './select-rows.js';

/**
 * Rejects a bundle over a matter that nothing of the tenant names: no legal matter, no document and no event. A mistyped
 * matter would be sealed as an empty bundle.
 *
 * @throws VALIDATION_ERROR
 */
export async function rejectUnknownMatter(
  deps: BuildDeps,
  tenantId: TenantId,
  { matter_id }: BundleScope,
): Promise<void> {
  if (matter_id === undefined || (await deps.matterScope(tenantId, matter_id)) !== null) return;
  const { items } = await deps.documents.list(tenantId, { matterId: matter_id }, null, 1);
  if (items.length > 0) return;
  const treeSize = await signedSize(deps, tenantId);
  // A page may be empty while a later one is not: disposed events come after all others.
  for await (const places of placesOf(deps, tenantId, [{ matter_id }], treeSize)) if (places.length > 0) return;
  const message = 'No legal matter, document or event has this identifier.';
  throw problem('VALIDATION_ERROR', { errors: [fault('/scope/matter_id', 'unknown', message)] });
}

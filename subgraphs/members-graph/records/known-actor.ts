import type { ActorDirectory } from '../../../shared/contracts/tenants.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

/**
 * Rejects an actor that the tenant does not have; a suspended one is known.
 *
 * @param path of the member that names the actor
 * @throws VALIDATION_ERROR
 */
export async function requireKnownActor(
  directory: ActorDirectory,
  tenantId: TenantId,
  path: string,
  actorId: string | null | undefined,
): Promise<void> {
  if (actorId == null || (await directory.statusOf(tenantId, actorId)) !== null) return;
  const message = 'No actor of the tenant has this identifier. Leave it out, and give npi or name.';
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'unknown', message)] });
}

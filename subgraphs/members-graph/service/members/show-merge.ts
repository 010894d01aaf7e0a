import type { TenantId } from '../../../../shared/ids/tenant.js';
import { storedKeys } from '../../domain/members/member-keys.js';
import { type IdentityDeps, linksAround } from './identity.js';

const MAX_ATTEMPTS = 10;

/**
 * Writes what the log of merges says of a member into its record, for lists and searches. Whatever was merged meanwhile is
 * written with it, so that doing it again, or late, changes nothing.
 */
export async function showMerge(
  deps: IdentityDeps & { readonly nowMs: () => number },
  tenantId: TenantId,
  memberId: string,
): Promise<void> {
  const members = deps.members(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const links = await linksAround(deps.merges(tenantId), [memberId]);
    const merged_into = links.get(memberId)?.target_id ?? null;
    const standing = await members.get(memberId);
    if (standing === null || standing.merged_into === merged_into) return;
    const member = {
      ...standing,
      merged_into,
      revision: standing.revision + 1,
      updated_at: new Date(deps.nowMs()),
    };
    if (await members.replace({ member, keys: storedKeys(member), pending: [] }, standing.revision)) return;
  }
  throw new Error('a merged record is being changed by others; the next sweep tries again');
}

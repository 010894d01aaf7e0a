import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';

/** Every identifier of a person, the surviving one first; of one whom the directory does not know, the one that was asked for. */
export async function personOf(directory: MemberDirectory, tenantId: TenantId, memberId: string): Promise<string[]> {
  const identity = await directory.identityOf(tenantId, memberId);
  return identity === null ? [memberId] : [...new Set([...identity.member_ids, memberId])];
}

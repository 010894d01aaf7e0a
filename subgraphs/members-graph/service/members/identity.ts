import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { identityIn, linksNow, type MergeEntry, type MergeLinks } from '../../domain/members/merges.js';
import type { MemberStore } from '../ports/member-store.js';
import type { MergeStore, TenantMerges } from '../ports/merge-store.js';

export interface IdentityDeps {
  readonly members: MemberStore;
  readonly merges: MergeStore;
}

/** Who is one person with whom, read from the log of merges: what it says holds from the moment that it is written. */
export const memberDirectory = (deps: IdentityDeps): MemberDirectory => ({
  async identityOf(tenantId: TenantId, memberId: string) {
    const links = await linksAround(deps.merges(tenantId), [memberId]);
    const [survivor = memberId, ...merged] = identityIn(links, memberId);
    const isKnown = merged.length > 0 || (await deps.members(tenantId).get(memberId)) !== null;
    return isKnown ? { member_id: survivor, member_ids: [survivor, ...merged] } : null;
  },
});

/** All links that can be reached from these members, in either direction. Mostly there are none, and one look says so. */
export async function linksAround(
  merges: Pick<TenantMerges, 'naming'>,
  memberIds: readonly string[],
): Promise<MergeLinks> {
  const entries = new Map<number, MergeEntry>();
  const looked = new Set<string>();
  for (let ids: readonly string[] = memberIds; ids.length > 0; ) {
    for (const id of ids) looked.add(id);
    for (const entry of await merges.naming(ids)) entries.set(entry.number, entry);
    const named = [...entries.values()].flatMap(({ source_id, target_id }) => [source_id, target_id]);
    ids = [...new Set(named)].filter((id) => !looked.has(id));
  }
  return linksNow([...entries.values()].sort((a, b) => a.number - b.number));
}

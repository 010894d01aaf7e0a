import type { MemberDirectory, MemberIdentity } from '../../../shared/contracts/members.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { identityIn, linksNow, type MergeEntry, type MergeLinks } from './domain/merges.js';
import type { MemberStore, MergeStore, StoredMember, TenantMerges } from './ports.js';

export interface IdentityDeps {
  readonly members: MemberStore;
  readonly merges: MergeStore;
}

/** Identities of many members with one read. */
export interface MemberIdentities extends MemberDirectory {
  /** @returns the identity of each member; null for an unknown one */
  identitiesOf(tenantId: TenantId, memberIds: readonly string[]): Promise<ReadonlyMap<string, MemberIdentity | null>>;
}

/** Reads identities from the facts of merges, which take effect at once. */
export function memberDirectory(deps: IdentityDeps): MemberIdentities {
  const identitiesOf: MemberIdentities['identitiesOf'] = async (tenantId, memberIds) => {
    const rows = await deps.members(tenantId).many(memberIds);
    const links = await shownLinks(deps, tenantId, rows, memberIds);
    const known = new Set(rows.map(({ member_id }) => member_id));
    return new Map(
      memberIds.map((memberId) => {
        const [survivor = memberId, ...merged] = identityIn(links, memberId);
        const isKnown = merged.length > 0 || known.has(memberId);
        return [memberId, isKnown ? { member_id: survivor, member_ids: [survivor, ...merged] } : null];
      }),
    );
  };
  return {
    identitiesOf,
    identityOf: async (tenantId, memberId) => (await identitiesOf(tenantId, [memberId])).get(memberId) ?? null,
  };
}

/**
 * Returns the merge links around members, and compares their records with them.
 *
 * @param rows the records, read before
 * @param memberIds further members; by default those of the records
 * @throws INTEGRITY_FAILURE for a record that claims another merge
 */
export async function shownLinks(
  deps: Pick<IdentityDeps, 'merges'>,
  tenantId: TenantId,
  rows: readonly Pick<StoredMember, 'member_id' | 'merged_into'>[],
  memberIds: readonly string[] = [],
): Promise<MergeLinks> {
  const merges = deps.merges(tenantId);
  const links = await linksAround(merges, [...new Set([...rows.map(({ member_id }) => member_id), ...memberIds])]);
  await merges.requireShown(rows, links);
  return links;
}

/** Returns all merge links that connect to these members, in either direction; usually one read finds none. */
export async function linksAround(
  merges: Pick<TenantMerges, 'naming'>,
  memberIds: readonly string[],
): Promise<MergeLinks> {
  const entries = new Map<number, MergeEntry>();
  const read = new Set<string>();
  for (let ids: readonly string[] = memberIds; ids.length > 0; ) {
    for (const id of ids) read.add(id);
    for (const entry of await merges.naming(ids)) entries.set(entry.number, entry);
    const named = [...entries.values()].flatMap(({ source_id, target_id }) => [source_id, target_id]);
    ids = [...new Set(named)].filter((id) => !read.has(id));
  }
  return linksNow([...entries.values()].sort((a, b) => a.number - b.number));
}

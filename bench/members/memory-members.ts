import type { TenantId } from '../../shared/ids/tenant.js';
import { storedKeys } from '../../subgraphs/members-graph/members/domain/keys.js';
import type { MemberStore, StoredMember, TenantMembers } from '../../subgraphs/members-graph/members/ports.js';

/** Members in memory under their keys, to measure matching without a database. */
export function memoryMembers(all: readonly StoredMember[]): MemberStore {
  const byKey = new Map<string, StoredMember[]>();
  for (const member of all) {
    for (const key of storedKeys(member)) {
      const known = byKey.get(key);
      if (known) known.push(member);
      else byKey.set(key, [member]);
    }
  }
  const sorted = all.toSorted((a, b) => (a.member_id < b.member_id ? -1 : 1));
  const members: Pick<TenantMembers, 'findByKeys' | 'countHolders' | 'after'> = {
    findByKeys: async (keys, limit) => [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))].slice(0, limit),
    after: async (memberId, limit) => sorted.filter(({ member_id }) => member_id > memberId).slice(0, limit),
    countHolders: async (key, most) => Math.min(most, byKey.get(key)?.length ?? 0),
  };
  // Matching reads only by keys.
  return (_tenantId: TenantId) => members as TenantMembers;
}

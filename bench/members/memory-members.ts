import type { TenantId } from '../../shared/ids/tenant.js';
import { storedKeys } from '../../subgraphs/members-graph/domain/members/member-keys.js';
import type {
  MemberStore,
  StoredMember,
  TenantMembers,
} from '../../subgraphs/members-graph/service/ports/member-store.js';

/** Members in memory under their keys: what matching alone is worth, without a database. */
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
  const members: Pick<TenantMembers, 'under' | 'holders' | 'after'> = {
    under: async (keys, limit) => [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))].slice(0, limit),
    after: async (memberId, limit) => sorted.filter(({ member_id }) => member_id > memberId).slice(0, limit),
    holders: async (key, most) => Math.min(most, byKey.get(key)?.length ?? 0),
  };
  // Matching reads by keys alone; nothing else is asked of it.
  return (_tenantId: TenantId) => members as TenantMembers;
}

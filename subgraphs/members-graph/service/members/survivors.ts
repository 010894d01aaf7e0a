import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Graded } from '../../domain/matching/grade.js';
import { survivorOf } from '../../domain/members/merges.js';
import type { StoredMember } from '../ports/member-store.js';
import { type IdentityDeps, linksAround } from './identity.js';
import type { LinkedMember } from './read-members.js';

export interface FoundMember extends Omit<Graded<StoredMember>, 'member'> {
  readonly found: LinkedMember;
  /** The record whose data agreed: the member's own, or one that was merged into it. */
  readonly matchedId: string;
}

/** The first so many persons: a record that is merged stands for the one that stands for it, and nobody comes twice. */
export async function survivorsOf(
  deps: IdentityDeps,
  tenantId: TenantId,
  graded: readonly Graded<StoredMember>[],
  limit: number,
): Promise<readonly FoundMember[]> {
  // Some of them may turn out to be one person.
  const looked = graded.slice(0, limit * 2);
  const links = await linksAround(
    deps.merges(tenantId),
    looked.map(({ member }) => member.member_id),
  );
  const records = new Map(looked.map(({ member }) => [member.member_id, member]));
  const missing = [...new Set(looked.map(({ member }) => survivorOf(links, member.member_id)))].filter(
    (id) => !records.has(id),
  );
  for (const member of await deps.members(tenantId).many(missing)) records.set(member.member_id, member);
  const seen = new Set<string>();
  const people = looked.flatMap(({ member, ...rest }): FoundMember[] => {
    const survivor = records.get(survivorOf(links, member.member_id)) ?? member;
    if (seen.has(survivor.member_id)) return [];
    seen.add(survivor.member_id);
    return [{ ...rest, found: { member: survivor, links }, matchedId: member.member_id }];
  });
  return people.slice(0, limit);
}

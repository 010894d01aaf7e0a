import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Graded } from '../../domain/matching/grade.js';
import { survivorOf } from '../../domain/members/merges.js';
import type { MemberSketch } from '../ports/member-store.js';
import { type IdentityDeps, linksAround } from './identity.js';
import type { LinkedMember } from './read-members.js';

export interface FoundMember extends Omit<Graded<MemberSketch>, 'member'> {
  readonly found: LinkedMember;
  /** The record whose data agreed: the member's own, or one that was merged into it. */
  readonly matchedId: string;
}

/** The first so many persons: a record that is merged stands for the one that stands for it, and nobody comes twice. */
export async function survivorsOf(
  deps: IdentityDeps,
  tenantId: TenantId,
  graded: readonly Graded<MemberSketch>[],
  limit: number,
): Promise<readonly FoundMember[]> {
  // Some of them may turn out to be one person.
  const looked = graded.slice(0, limit * 2);
  const ids = looked.map(({ member }) => member.member_id);
  const members = deps.members(tenantId);
  const [links, read] = await Promise.all([linksAround(deps.merges(tenantId), ids), members.many(ids.slice(0, limit))]);
  const first = new Map<string, Graded<MemberSketch>>();
  for (const one of looked) {
    const survivor = survivorOf(links, one.member.member_id);
    if (!first.has(survivor)) first.set(survivor, one);
  }
  const shown = [...first].slice(0, limit);
  const records = new Map(read.map((member) => [member.member_id, member]));
  const missing = shown.map(([survivor]) => survivor).filter((survivor) => !records.has(survivor));
  for (const member of await members.many(missing)) records.set(member.member_id, member);
  return shown.flatMap(
    ([
      survivor,
      {
        member: { member_id },
        ...rest
      },
    ]): FoundMember[] => {
      const member = records.get(survivor) ?? records.get(member_id);
      return member === undefined ? [] : [{ ...rest, found: { member, links }, matchedId: member_id }];
    },
  );
}

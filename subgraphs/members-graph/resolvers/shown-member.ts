import { isoTime } from '../../../shared/clock/clock.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { MEMBER_MACHINE, type MemberStatus } from '../domain/members/member.js';
import type { MergeLinks } from '../domain/members/merges.js';
import type { Member, MemberLink } from '../schema/member.js';
import type { LinkedMember } from '../service/members/read-members.js';

/** What is shown of a member; its links are those of the log, whatever the record knows of them yet. */
export function shownMember({ member, links }: LinkedMember): Member {
  const {
    own_status,
    merged_into: _,
    created_work_id: __,
    last_work_id: ___,
    told_at: ____,
    told_event: _____,
    name,
    identifiers,
    addresses,
    ...rest
  } = member;
  const status: MemberStatus = links.has(member.member_id) ? 'MERGED' : own_status;
  const { suffix } = name;
  return {
    ...rest,
    name: { family: name.family, given: [...name.given], ...(suffix === null ? {} : { suffix }) },
    identifiers: identifiers.map((each) => ({ ...each })),
    addresses: addresses.map(({ lines = [], postalCode, ...each }) => ({
      ...each,
      lines: [...lines],
      ...(postalCode === undefined ? {} : { postal_code: postalCode }),
    })),
    former_families: [...rest.former_families],
    phones: [...rest.phones],
    emails: [...rest.emails],
    status,
    allowed_actions: actionsOf(status),
    links: linksOf(links, member.member_id),
    created_at: isoTime(member.created_at.getTime()),
    updated_at: isoTime(member.updated_at.getTime()),
  };
}

/** As callers name them: what becomes of an inactive record is no action of its own. */
const actionsOf = (status: MemberStatus): string[] => [
  ...new Set(allowedActions(MEMBER_MACHINE, status).map((action) => action.replace(/-inactive$/, ''))),
];

function linksOf(links: MergeLinks, memberId: string): MemberLink[] {
  const into = links.get(memberId);
  const above: readonly MemberLink[] =
    into === undefined
      ? []
      : [{ type: 'REPLACED_BY', member_id: into.target_id, since: isoTime(into.since.getTime()) }];
  const below = [...links].flatMap(([source, { target_id, since }]): MemberLink[] =>
    target_id === memberId ? [{ type: 'REPLACES', member_id: source, since: isoTime(since.getTime()) }] : [],
  );
  return [...above, ...below];
}

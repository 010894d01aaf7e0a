import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isWithin, readingOf } from '../../../shared/auth/reading.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { EventReads } from '../../../shared/contracts/event-reads.js';
import type { ListWindow } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { AppointmentStore } from '../appointments/index.js';
import type { CareTeamStore } from '../care-team/index.js';
import type { ConsentStore } from '../consent/index.js';
import type { MergeLinks } from './domain/merges.js';
import { type IdentityDeps, shownLinks } from './identity.js';
import type { ChangeStore, KeptChange, MemberQuery, StoredMember } from './ports.js';

/** A member with the merge links around it. */
export interface LinkedMember {
  readonly member: StoredMember;
  readonly links: MergeLinks;
}

export async function listMembers(
  deps: IdentityDeps,
  context: RequestContext,
  query: MemberQuery,
): Promise<Page<LinkedMember>> {
  const tenantId = authorise(context, 'members:read');
  const rows = await deps.members(tenantId).list(query);
  const page = pageOf(rows, query.limit, ({ created_at, member_id }) => ({
    atMs: created_at.getTime(),
    id: `${tenantId}/${member_id}`,
  }));
  const links = await shownLinks(deps, tenantId, page.items);
  return { items: page.items.map((member) => ({ member, links })), next_cursor: page.next_cursor };
}

/** @returns null for an unknown member, another tenant's, and a member that the caller's token does not cover */
export async function getMember(
  deps: IdentityDeps,
  context: RequestContext,
  memberId: string,
): Promise<LinkedMember | null> {
  const reading = readingOf(context, 'members:read');
  if (!isWithin(reading, [memberId])) return null;
  const { tenantId } = reading;
  const member = await deps.members(tenantId).get(memberId);
  return member === null ? null : { member, links: await shownLinks(deps, tenantId, [member]) };
}

/** Returns the known members among these, by identifier. Omits those that the caller's token does not cover. */
export async function getMembers(
  deps: IdentityDeps,
  context: RequestContext,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, LinkedMember>> {
  const reading = readingOf(context, 'members:read');
  const covered = [...new Set(memberIds)].filter((memberId) => isWithin(reading, [memberId]));
  const rows = await deps.members(reading.tenantId).many(covered);
  const links = await shownLinks(deps, reading.tenantId, rows);
  return new Map(rows.map((member) => [member.member_id, { member, links }]));
}

export interface HistoryDeps extends IdentityDeps {
  readonly changes: ChangeStore;
}

/** Lists the changes of a member. @returns null for an unknown member */
export async function listChanges(
  deps: HistoryDeps,
  context: RequestContext,
  memberId: string,
  query: ListWindow,
): Promise<Page<KeptChange> | null> {
  const tenantId = authorise(context, 'members:read');
  if ((await deps.members(tenantId).get(memberId)) === null) return null;
  const rows = await deps.changes(tenantId).list(memberId, query);
  return pageOf(rows, query.limit, ({ at, change_id }) => ({ atMs: at.getTime(), id: change_id }));
}

export interface KnownDeps {
  readonly eventReads: EventReads;
  readonly documents: Documents;
  readonly consents: ConsentStore;
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
}

/** True if an event, a document, a consent, an appointment or a care team names a member without a record. */
export async function isKnown(deps: KnownDeps, tenantId: TenantId, memberId: string): Promise<boolean> {
  const sight = { unredacted: false, before: null, limit: 1 };
  if ((await deps.eventReads.ofMember(tenantId, memberId, sight)).length > 0) return true;
  if ((await deps.documents.list(tenantId, { memberIds: [memberId] }, null, 1)).items.length > 0) return true;
  const first = { limit: 1, order: 'asc', where: { member_id: memberId } } as const;
  if ((await deps.consents(tenantId).page(first)).items.length > 0) return true;
  if ((await deps.appointments(tenantId).page(first)).items.length > 0) return true;
  return (await deps.careTeam(tenantId).page(first)).items.length > 0;
}

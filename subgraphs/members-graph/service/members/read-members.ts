import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { isWithin, readingOf } from '../../../../shared/auth/reading.js';
import type { ListWindow } from '../../../../shared/db/keyset.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import type { MergeLinks } from '../../domain/members/merges.js';
import type { ChangeStore, KeptChange } from '../ports/change-store.js';
import type { MemberQuery, StoredMember } from '../ports/member-store.js';
import { type IdentityDeps, linksAround } from './identity.js';

/** A member with the links that stand around it. */
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
  const links = await linksAround(
    deps.merges(tenantId),
    page.items.map(({ member_id }) => member_id),
  );
  return { items: page.items.map((member) => ({ member, links })), next_cursor: page.next_cursor };
}

/** Null for a member that is not in the directory, for another tenant's, and for another than a token's: they must not differ. */
export async function getMember(
  deps: IdentityDeps,
  context: RequestContext,
  memberId: string,
): Promise<LinkedMember | null> {
  const reading = readingOf(context, 'members:read');
  if (!isWithin(reading, [memberId])) return null;
  const { tenantId } = reading;
  const member = await deps.members(tenantId).get(memberId);
  return member === null ? null : { member, links: await linksAround(deps.merges(tenantId), [memberId]) };
}

export interface HistoryDeps extends IdentityDeps {
  readonly changes: ChangeStore;
}

/** What became of a member; null for one that is not in the directory. */
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

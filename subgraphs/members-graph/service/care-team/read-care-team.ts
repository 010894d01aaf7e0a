import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import type { CareTeamListQuery, CareTeamStore, StoredCareTeamEntry } from '../ports/care-team-store.js';
import { personOf } from '../records/person-of.js';

export interface ReadCareTeamDeps {
  readonly careTeam: CareTeamStore;
  readonly directory: MemberDirectory;
}

/** A member is asked for under any identifier that stands for the person. */
export async function listCareTeam(
  { careTeam, directory }: ReadCareTeamDeps,
  context: RequestContext,
  { member_id, ...query }: Omit<CareTeamListQuery, 'member_ids'> & { readonly member_id?: string | undefined },
): Promise<Page<StoredCareTeamEntry>> {
  const tenantId = authorise(context, 'care-team:read');
  const member_ids = member_id === undefined ? undefined : await personOf(directory, tenantId, member_id);
  const rows = await careTeam(tenantId).list({ ...query, member_ids });
  return pageOf(rows, query.limit, ({ created_at, id }) => ({ atMs: created_at.getTime(), id }));
}

/** Null for one that is not there and for another tenant's: the two must not differ. */
export async function getCareTeamEntry(
  { careTeam }: Pick<ReadCareTeamDeps, 'careTeam'>,
  context: RequestContext,
  id: string,
): Promise<StoredCareTeamEntry | null> {
  const tenantId = authorise(context, 'care-team:read');
  return isIdOf('careTeam', id) ? careTeam(tenantId).get(id) : null;
}

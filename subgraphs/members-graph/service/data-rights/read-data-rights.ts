import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import { KEEPING_RIGHTS } from '../../domain/data-rights/data-right.js';
import type { DataRightListQuery, StoredDataRight } from '../ports/data-right-store.js';
import { personOf } from '../records/person-of.js';
import type { DataRightDeps } from './data-right-deps.js';

type ReadDeps = Pick<DataRightDeps, 'dataRights' | 'directory' | 'clock'>;

/** A member is asked for under any identifier that stands for the person. */
export async function listDataRights(
  { dataRights, directory, clock }: ReadDeps,
  context: RequestContext,
  {
    member_id,
    ...query
  }: Omit<DataRightListQuery, 'member_ids' | 'nowMs'> & { readonly member_id?: string | undefined },
): Promise<Page<StoredDataRight>> {
  const tenantId = authorise(context, 'data-rights:read');
  const member_ids = member_id === undefined ? undefined : await personOf(directory, tenantId, member_id);
  const rows = await dataRights(tenantId).list({ ...query, member_ids, nowMs: clock.nowMs() });
  return pageOf(rows, query.limit, ({ created_at, id }) => ({ atMs: created_at.getTime(), id }));
}

/** For deletions: whoever waits for an answer, under every identifier. */
export async function membersUnderRequest(
  { dataRights, directory }: Pick<ReadDeps, 'dataRights' | 'directory'>,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const asking = await dataRights(tenantId).membersAsking(KEEPING_RIGHTS);
  const people = await Promise.all(asking.map((memberId) => personOf(directory, tenantId, memberId)));
  return [...new Set(people.flat())];
}

/** Null for one that is not there and for another tenant's: the two must not differ. */
export async function getDataRight(
  { dataRights }: Pick<ReadDeps, 'dataRights'>,
  context: RequestContext,
  id: string,
): Promise<StoredDataRight | null> {
  const tenantId = authorise(context, 'data-rights:read');
  return isIdOf('dataRight', id) ? dataRights(tenantId).get(id) : null;
}

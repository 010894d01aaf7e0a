import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { MatterScope } from './ports/matter-scope.js';
import type { MatterQuery, MatterStore, StoredMatter } from './ports/matter-store.js';

export interface ReadMatterDeps {
  readonly matters: MatterStore;
}

export async function listMatters(
  deps: ReadMatterDeps,
  context: RequestContext,
  query: MatterQuery,
): Promise<Page<StoredMatter>> {
  const rows = await deps.matters(authorise(context, 'matters:read')).list(query);
  return pageOf(rows, query.limit, ({ created_at, matter_id }) => ({ atMs: created_at.getTime(), id: matter_id }));
}

/** Null for a matter that is not there and for another tenant's: the two must not differ. */
export async function getMatter(
  deps: ReadMatterDeps,
  context: RequestContext,
  matterId: string,
): Promise<StoredMatter | null> {
  const tenantId = authorise(context, 'matters:read');
  return isIdOf('matter', matterId) ? deps.matters(tenantId).get(matterId) : null;
}

/** What is linked to a matter, for a build of its bundle; open or closed is the same to it. */
export const matterScopeOver =
  ({ matters }: ReadMatterDeps): MatterScope =>
  async (tenantId, matterId) => {
    const found = isIdOf('matter', matterId) ? await matters(tenantId).get(matterId) : null;
    if (found === null) return null;
    return { member_ids: found.member_ids, event_ids: [], document_ids: found.document_ids };
  };

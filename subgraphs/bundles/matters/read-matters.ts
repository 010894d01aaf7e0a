import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { MatterScope, MatterStore, StoredMatter } from './ports.js';

interface ReadMatterDeps {
  readonly matters: MatterStore;
}

export const listMatters = async (
  { matters }: ReadMatterDeps,
  context: RequestContext,
  query: ListQuery<StoredMatter>,
): Promise<Page<StoredMatter>> => matters(authorise(context, 'matters:read')).page(query);

/** Returns null for an unknown matter and for another tenant's: callers must not see the difference. */
export async function getMatter(
  { matters }: ReadMatterDeps,
  context: RequestContext,
  matterId: string,
): Promise<StoredMatter | null> {
  const rows = matters(authorise(context, 'matters:read'));
  return isIdOf('matter', matterId) ? rows.get(matterId) : null;
}

/** Returns the matters with these identifiers, by the rule of `getMatter`. */
export const namedMatters = async (
  { matters }: ReadMatterDeps,
  context: RequestContext,
  matterIds: readonly string[],
): Promise<readonly StoredMatter[]> => matters(authorise(context, 'matters:read')).among(matterIds);

/** Returns the links of a matter, open or closed, for the build of its bundle. */
export const matterScopeOver =
  ({ matters }: ReadMatterDeps): MatterScope =>
  async (tenantId, matterId) => {
    const found = isIdOf('matter', matterId) ? await matters(tenantId).get(matterId) : null;
    if (found === null) return null;
    return { member_ids: found.member_ids, event_ids: [], document_ids: found.document_ids };
  };

/** Returns the records that each matter refers to. */
export async function matterTies(
  matters: Pick<Records<StoredMatter>, 'get'>,
  matterIds: readonly string[],
): Promise<readonly RecordTies[]> {
  const found = await Promise.all(matterIds.map((id) => matters.get(id)));
  return found.flatMap((matter) => (matter === null ? [] : [tiesOf(matter)]));
}

function tiesOf(matter: StoredMatter): RecordTies {
  const named = (kind: string, ids: readonly string[]): string[] => ids.map((id) => `${kind}:${id}`);
  return {
    kind: 'matter',
    id: matter.matter_id,
    at: isoTime(matter.created_at.getTime()),
    label: matter.kind,
    status: matter.status,
    names: [
      ...named('member', matter.member_ids),
      ...named('hold', matter.hold_ids),
      ...named('bundle', matter.bundle_ids),
      ...named('document', matter.document_ids),
    ],
  };
}

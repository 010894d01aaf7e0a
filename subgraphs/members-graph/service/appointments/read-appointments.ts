import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import type { AppointmentListQuery, AppointmentStore, StoredAppointment } from '../ports/appointment-store.js';
import { personOf } from '../records/person-of.js';

export interface ReadAppointmentDeps {
  readonly appointments: AppointmentStore;
  readonly directory: MemberDirectory;
}

/** In order of their times. A member is asked for under any identifier that stands for the person. */
export async function listAppointments(
  { appointments, directory }: ReadAppointmentDeps,
  context: RequestContext,
  { member_id, ...query }: Omit<AppointmentListQuery, 'member_ids'> & { readonly member_id?: string | undefined },
): Promise<Page<StoredAppointment>> {
  const tenantId = authorise(context, 'appointments:read');
  const member_ids = member_id === undefined ? undefined : await personOf(directory, tenantId, member_id);
  const rows = await appointments(tenantId).list({ ...query, member_ids });
  return pageOf(rows, query.limit, ({ takes_place, id }) => ({ atMs: takes_place.getTime(), id }));
}

/** Null for one that is not there and for another tenant's: the two must not differ. */
export async function getAppointment(
  { appointments }: Pick<ReadAppointmentDeps, 'appointments'>,
  context: RequestContext,
  id: string,
): Promise<StoredAppointment | null> {
  const tenantId = authorise(context, 'appointments:read');
  return isIdOf('appointment', id) ? appointments(tenantId).get(id) : null;
}

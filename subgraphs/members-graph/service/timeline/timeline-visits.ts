import type { Reading } from '../../../../shared/auth/reading.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import type { ConsentGate } from '../../../../shared/contracts/consent.js';
import {
  judgedEntries,
  partOf,
  plainView,
  type TimelinePart,
  type TimelineRecord,
} from '../../../../shared/timeline/entry.js';
import type { TimelineWindow } from '../../../../shared/timeline/window.js';
import type { AppointmentStore, StoredAppointment } from '../ports/appointment-store.js';
import type { CareTeamStore, StoredCareTeamEntry } from '../ports/care-team-store.js';

export interface TimelineVisitsDeps {
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
  readonly consent: ConsentGate;
}

/** Appointments of a member, at the time that they take place. */
export async function timelineAppointments(
  { appointments, consent }: TimelineVisitsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, ...window }: TimelineWindow,
  shown: (appointment: StoredAppointment) => object,
): Promise<TimelinePart> {
  const rows = await appointments(tenantId).list({ ...window, member_ids: [memberId] });
  const records = rows.map((row): TimelineRecord => {
    const at = isoTime(row.takes_place.getTime());
    const { id, service_type: type, status } = row;
    const entry = { kind: 'APPOINTMENT', id, at, member_id: memberId, type, status, source_system: null } as const;
    return { entry: { ...entry, record: shown(row) }, view: plainView('appointment', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}

/** Who cares for a member, at the time that it was noted. */
export async function timelineCareTeam(
  { careTeam, consent }: TimelineVisitsDeps,
  { tenantId, stated }: Reading,
  memberId: string,
  { kinds: _, ...window }: TimelineWindow,
  shown: (carer: StoredCareTeamEntry) => object,
): Promise<TimelinePart> {
  const rows = await careTeam(tenantId).list({ ...window, member_ids: [memberId] });
  const records = rows.map((row): TimelineRecord => {
    const at = isoTime(row.created_at.getTime());
    const { id, role: type, status } = row;
    const entry = { kind: 'CARE_TEAM', id, at, member_id: memberId, type, status, source_system: null } as const;
    return { entry: { ...entry, record: shown(row) }, view: plainView('care-team', memberId) };
  });
  return partOf(await judgedEntries(consent, tenantId, stated, records), window.limit);
}

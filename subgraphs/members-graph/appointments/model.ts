import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RecordStore, type RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { AppointmentStore, StoredAppointment, TenantAppointments } from './ports.js';
import { APPOINTMENT_ROW } from './schema.js';

export const APPOINTMENTS = declareCollection(
  'appointments',
  [{ tenant_id: 1, takes_place: -1, _id: -1 }],
  [{ tenant_id: 1, member_id: 1, takes_place: -1, _id: -1 }],
  [{ tenant_id: 1, 'practitioner.npi': 1, takes_place: -1, _id: -1 }],
  [{ tenant_id: 1, 'practitioner.actor': 1, takes_place: -1, _id: -1 }],
  // Prevents double bookings of a practitioner: one key for every minute (domain/slot-claims.ts).
  [
    { tenant_id: 1, claims: 1 },
    { unique: true, partialFilterExpression: { is_claiming: true } },
  ],
  PENDING_INDEX,
);

class AppointmentRecords extends RecordStore<StoredAppointment> implements TenantAppointments {
  pageOf(practitioner: string | undefined, query: ListQuery<StoredAppointment>): Promise<Page<StoredAppointment>> {
    const either = [{ 'practitioner.npi': practitioner }, { 'practitioner.actor': practitioner }];
    return this.pageWhere(query, practitioner === undefined ? [] : [{ $or: either }]);
  }
}

const OPTIONS = {
  collection: APPOINTMENTS,
  id: 'appointment_id',
  check: APPOINTMENT_ROW,
  listedBy: 'takes_place',
} as const;

export const appointmentStore =
  (deps: RecordStoreDeps): AppointmentStore =>
  (tenantId) =>
    new AppointmentRecords(deps, OPTIONS, tenantId);

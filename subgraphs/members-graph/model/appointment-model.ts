import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type {
  AppointmentListQuery,
  AppointmentStore,
  StoredAppointment,
  TenantAppointments,
} from '../service/ports/appointment-store.js';
import { MongoStepped } from './stepped-repository.js';

export const APPOINTMENT_COLLECTION = 'appointments';

const ROW = { _id: { type: String, required: true }, tenant_id: { type: String, required: true } } as const;

/** Indexes are declared here; rows are read and written by the driver. */
export const appointmentSchema = new Schema(ROW, {
  collection: APPOINTMENT_COLLECTION,
  versionKey: false,
  autoIndex: false,
  strict: false,
});
appointmentSchema.index({ tenant_id: 1, takes_place: -1, _id: -1 });
appointmentSchema.index({ tenant_id: 1, member_id: 1, takes_place: -1, _id: -1 });
appointmentSchema.index({ tenant_id: 1, 'practitioner.npi': 1, takes_place: -1, _id: -1 });
appointmentSchema.index({ tenant_id: 1, 'practitioner.actor': 1, takes_place: -1, _id: -1 });
// What keeps a practitioner's time from being booked twice: a key for every minute (domain/appointments/slot-claims.ts).
appointmentSchema.index({ tenant_id: 1, claims: 1 }, { unique: true, partialFilterExpression: { is_claiming: true } });
appointmentSchema.index(...PENDING_INDEX);

class MongoAppointments extends MongoStepped<StoredAppointment> implements TenantAppointments {
  list({ practitioner, ...query }: AppointmentListQuery): Promise<readonly StoredAppointment[]> {
    const either = [{ 'practitioner.npi': practitioner }, { 'practitioner.actor': practitioner }];
    return this.page('takes_place', query, practitioner === undefined ? [] : [{ $or: either }]);
  }
}

export const appointmentStore =
  (db: Db, outbox: EffectRelay): AppointmentStore =>
  (tenantId) =>
    new MongoAppointments(db, outbox, { collection: APPOINTMENT_COLLECTION, tenantId });

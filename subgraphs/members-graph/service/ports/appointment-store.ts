import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { AppointmentAction, AppointmentStatus } from '../../domain/appointments/appointment.js';
import type { Practitioner } from '../../domain/appointments/slot-claims.js';
import type { SteppedListQuery, SteppedRecord, TenantStepped } from './stepped-store.js';

export interface AppointmentParticipant {
  readonly reference: string;
  readonly role: string | null;
  readonly status: string;
}

/** An appointment as stored. */
export interface StoredAppointment extends SteppedRecord<AppointmentStatus, AppointmentAction> {
  readonly service_type: string | null;
  readonly practitioner: Practitioner | null;
  readonly start: Date | null;
  readonly end: Date | null;
  /** Its place in time: when it starts, or when it was noted where no time is set. */
  readonly takes_place: Date;
  readonly timezone: string | null;
  readonly location: string | null;
  readonly reason: string | null;
  readonly cancellation_reason: string | null;
  readonly participants: readonly AppointmentParticipant[];
  /** Minutes that it takes of its practitioner: unique among all that have `is_claiming`. */
  readonly claims: readonly string[];
  readonly is_claiming: boolean;
}

export interface AppointmentListQuery extends SteppedListQuery<AppointmentStatus> {
  /** NPI or actor. */
  readonly practitioner?: string | undefined;
}

export interface TenantAppointments extends TenantStepped<StoredAppointment> {
  /** Up to `limit + 1` in order of their times. */
  list(query: AppointmentListQuery): Promise<readonly StoredAppointment[]>;
}

export type AppointmentStore = (tenantId: TenantId) => TenantAppointments;

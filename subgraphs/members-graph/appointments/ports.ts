import type { ExtraRow } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery, Records } from '../../../shared/records/records.js';
import type { StepLine, Stored } from '../../../shared/records/stored.js';
import type { AppointmentAction, AppointmentStatus } from './domain.js';
import type { Appointment } from './schema.js';

export type StoredAppointment = Stored<
  Appointment,
  ExtraRow & {
    start: Date | null;
    end: Date | null;
    /** Time that lists are ordered by: the start, or the creation without a start. */
    takes_place: Date;
    /** Reserved minutes of the practitioner; unique among rows with `is_claiming`. */
    claims: readonly string[];
    is_claiming: boolean;
    history: readonly StepLine<AppointmentStatus, AppointmentAction>[];
  }
>;

export interface TenantAppointments extends Records<StoredAppointment> {
  /** @param practitioner NPI or actor */
  pageOf(practitioner: string | undefined, query: ListQuery<StoredAppointment>): Promise<Page<StoredAppointment>>;
}

export type AppointmentStore = (tenantId: TenantId) => TenantAppointments;

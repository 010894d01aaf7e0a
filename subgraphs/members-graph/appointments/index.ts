import type { MembersArea } from '../parts.js';
import { APPOINTMENT_MACHINE } from './domain.js';
import { APPOINTMENTS } from './model.js';
import { AppointmentResolver } from './resolver.js';

export { appointmentStore } from './model.js';
export type { AppointmentStore, StoredAppointment } from './ports.js';
export { shownAppointment } from './resolver.js';

/** Appointments of members. */
export const appointmentsArea: MembersArea = {
  resolvers: [AppointmentResolver],
  stateMachines: [APPOINTMENT_MACHINE],
  collections: [APPOINTMENTS],
  wire: ({ deps, directory, stores }) => ({
    resolvers: [new AppointmentResolver({ ...deps, ...stores, directory })],
  }),
};

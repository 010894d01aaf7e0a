import { appointmentStore } from '../model/appointment-model.js';
import { AppointmentResolver } from '../resolvers/appointment-resolver.js';
import type { WireArea } from './parts.js';

/** When members are to be seen, by whom and where. */
export const wireAppointments: WireArea = ({ deps, directory, outbox }) => {
  const appointments = appointmentStore(deps.database.db, outbox);
  return { resolvers: [[AppointmentResolver, new AppointmentResolver({ ...deps, directory, appointments })]] };
};

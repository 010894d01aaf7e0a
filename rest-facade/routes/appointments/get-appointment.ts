import { graphRoute } from '../../graph-route.js';

export const getAppointment = graphRoute({
  method: 'GET',
  path: '/v1/appointments/{id}',
  area: 'appointments',
  scope: 'appointments:read',
  tenant: 'required',
  summary: 'Read one appointment',
  operation: { name: 'GetAppointment', field: 'appointment' },
  params: { id: 'appointment_id' },
  answer: 'The appointment with its steps.',
});

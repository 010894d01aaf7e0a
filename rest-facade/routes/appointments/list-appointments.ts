import { graphRoute } from '../../graph-route.js';

export const listAppointments = graphRoute({
  method: 'GET',
  path: '/v1/appointments',
  area: 'appointments',
  scope: 'appointments:read',
  tenant: 'required',
  summary: 'List appointments',
  description: 'In order of when they begin; one without a time stands where it was noted.',
  operation: { name: 'ListAppointments', field: 'appointments' },
  answer: 'One page of appointments, the latest first unless told.',
});

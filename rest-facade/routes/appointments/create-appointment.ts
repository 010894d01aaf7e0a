import { graphRoute } from '../../graph-route.js';

export const createAppointment = graphRoute({
  method: 'POST',
  path: '/v1/appointments',
  area: 'appointments',
  scope: 'appointments:write',
  tenant: 'required',
  summary: 'Make an appointment',
  description:
    'Booked unless told, proposed where it has no time. 409 CONFLICT where the practitioner has another one at that time: of ' +
    'any number that are tried at once, one is booked.',
  operation: { name: 'CreateAppointment', field: 'createAppointment' },
  body: { argument: 'input' },
  bodyExample: {
    member_id: 'M-1',
    service_type: 'PEER_TO_PEER',
    practitioner: { npi: '1234567893', name: 'Dr. A. Okafor' },
    start: '2026-04-01T15:00:00Z',
    end: '2026-04-01T15:30:00Z',
  },
  answer: 'The appointment.',
});

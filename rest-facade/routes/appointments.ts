import type { GraphRouteEntry } from '../graph-route.js';
import type { RouteEntries } from '../route-table.js';
import { type RouteArea, routeTable } from '../route-table.js';

const APPOINTMENTS: RouteArea = {
  area: 'appointments',
  id: 'appointment_id',
  reads: 'appointments:read',
  writes: 'appointments:write',
};

type Step = Pick<GraphRouteEntry, 'summary' | 'bodyExample'>;

const PLANNING_STEPS: Readonly<Record<string, Step>> = {
  request: { summary: 'Request an appointment', bodyExample: { location: 'Room 4' } },
  wait: { summary: 'Put an appointment on the waiting list', bodyExample: { location: 'Room 4' } },
  book: {
    summary: 'Book an appointment',
    bodyExample: { start: '2026-04-01T15:00:00Z', end: '2026-04-01T15:30:00Z' },
  },
  reschedule: {
    summary: 'Move an appointment to another time',
    bodyExample: { start: '2026-04-02T15:00:00Z', end: '2026-04-02T15:30:00Z' },
  },
};

const OUTCOME_STEPS: Readonly<Record<string, Step>> = {
  arrive: { summary: 'Record that the member has arrived', bodyExample: {} },
  'check-in': { summary: 'Check the member in', bodyExample: {} },
  fulfil: { summary: 'Record that an appointment took place', bodyExample: {} },
  cancel: { summary: 'Cancel an appointment', bodyExample: { reason: 'The member asked for it.' } },
  'no-show': { summary: 'Record that the member did not come', bodyExample: {} },
  'mark-in-error': { summary: 'Mark an appointment as entered in error', bodyExample: {} },
};

/** One route a step: the path names the step, which is an argument of the operation. */
const stepRoutes = (steps: Readonly<Record<string, Step>>, operation: GraphRouteEntry['operation']): RouteEntries =>
  Object.fromEntries(
    Object.entries(steps).map(([action, step]) => [
      `POST /v1/appointments/{id}/${action}`,
      {
        ...step,
        description:
          '409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.',
        operation,
        params: { id: 'appointment_id' },
        constants: { action },
        body: { argument: 'input' },
        bodyOptional: true,
        answer: 'The appointment.',
      },
    ]),
  );

export const appointmentRoutes = routeTable(APPOINTMENTS, {
  'GET /v1/appointments': {
    summary: 'List appointments',
    description: 'Sorted by start; an appointment without a time is sorted by its creation.',
    operation: { name: 'ListAppointments', field: 'appointments' },
    answer: 'One page of appointments, the latest first by default.',
  },
  'POST /v1/appointments': {
    freeForm: 'kept',
    summary: 'Create an appointment',
    description:
      'Booked by default, or proposed without a time. 409 CONFLICT if the practitioner has another appointment at that time: ' +
      'of several concurrent requests, one succeeds.',
    operation: { name: 'CreateAppointment', field: 'createAppointment' },
    bodyExample: {
      member_id: 'M-1',
      service_type: 'PEER_TO_PEER',
      practitioner: { npi: '1234567893', name: 'Dr. A. Okafor' },
      start: '2026-04-01T15:00:00Z',
      end: '2026-04-01T15:30:00Z',
    },
    answer: 'The appointment.',
  },
  'GET /v1/appointments/{id}': {
    summary: 'Read one appointment',
    operation: { name: 'GetAppointment', field: 'appointment' },
    answer: 'The appointment with its steps.',
  },
  ...stepRoutes(PLANNING_STEPS, { name: 'PlanAppointment', field: 'planAppointment' }),
  ...stepRoutes(OUTCOME_STEPS, { name: 'StepAppointment', field: 'stepAppointment' }),
});

import { problem } from '../../../shared/errors/problem.js';
import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

interface Step {
  readonly summary: string;
  readonly bodyExample: Readonly<Record<string, string>>;
}

const PLANNING: Readonly<Record<string, Step>> = {
  request: { summary: 'Ask for an appointment', bodyExample: { location: 'Room 4' } },
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

const OUTCOMES: Readonly<Record<string, Step>> = {
  arrive: { summary: 'Note that the member has arrived', bodyExample: {} },
  'check-in': { summary: 'Check the member in', bodyExample: {} },
  fulfil: { summary: 'Note that an appointment took place', bodyExample: {} },
  cancel: { summary: 'Cancel an appointment', bodyExample: { reason: 'The member asked for it.' } },
  'no-show': { summary: 'Note that the member did not come', bodyExample: {} },
  'mark-in-error': { summary: 'Say that an appointment was entered in error', bodyExample: {} },
};

/** One route for each step: it stands in the path, and is an argument of the one operation. */
const stepRoutes = (steps: Readonly<Record<string, Step>>, operation: { name: string; field: string }) =>
  Object.entries(steps).map(([action, { summary, bodyExample }]): RouteMaker => {
    const maker = graphRoute({
      method: 'POST',
      path: `/v1/appointments/{id}/${action}`,
      area: 'appointments',
      scope: 'appointments:write',
      tenant: 'required',
      summary,
      description: '409 INVALID_TRANSITION where its status does not take this step; it names those that it takes.',
      operation,
      params: { id: 'appointment_id' },
      body: { argument: 'input' },
      bodyOptional: true,
      bodyExample,
      answer: 'The appointment.',
    });
    return (contract) => ({
      ...maker(contract),
      handle: async ({ params, body, run }) => {
        const found = await run({ appointment_id: params['id'], action, input: body?.value ?? {} });
        if (found === null) throw problem('NOT_FOUND');
        return found;
      },
    });
  });

export const appointmentSteps: readonly RouteMaker[] = [
  ...stepRoutes(PLANNING, { name: 'PlanAppointment', field: 'planAppointment' }),
  ...stepRoutes(OUTCOMES, { name: 'StepAppointment', field: 'stepAppointment' }),
];

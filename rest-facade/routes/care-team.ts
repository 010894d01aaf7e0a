import type { RouteEntries } from '../route-table.js';
import { type RouteArea, routeTable } from '../route-table.js';

const CARE_TEAM: RouteArea = {
  area: 'care-team',
  id: 'care_team_id',
  reads: 'care-team:read',
  writes: 'care-team:write',
};

const STEP_SUMMARIES: Readonly<Record<string, string>> = {
  activate: 'Activate a proposed carer',
  suspend: 'Suspend a carer',
  resume: 'Resume a suspended carer',
  end: "End a carer's time in a care team",
  'mark-in-error': 'Mark a care team entry as made in error',
};

/** One route a step: the path names the step, which is an argument of the operation. */
const stepRoutes = (): RouteEntries =>
  Object.fromEntries(
    Object.entries(STEP_SUMMARIES).map(([action, summary]) => [
      `POST /v1/care-team/{id}/${action}`,
      {
        summary,
        description:
          '409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.',
        operation: { name: 'StepCareTeamEntry', field: 'stepCareTeamEntry' },
        params: { id: 'care_team_id' },
        constants: { action },
        body: { argument: 'input' },
        bodyOptional: true,
        bodyExample: { reason: 'Moved away.' },
        answer: 'The entry.',
      },
    ]),
  );

export const careTeamRoutes = routeTable(CARE_TEAM, {
  'GET /v1/care-team': {
    summary: 'List care team entries',
    operation: { name: 'ListCareTeam', field: 'careTeam' },
    answer: 'One page of entries, newest first by default.',
  },
  'POST /v1/care-team': {
    freeForm: 'kept',
    summary: "Add a person to a member's care team",
    description:
      '409 CONFLICT, with its `care_team_id`, if the same person has the same role in an overlapping period.',
    operation: { name: 'CreateCareTeamEntry', field: 'createCareTeamEntry' },
    bodyExample: {
      member_id: 'M-1',
      role: 'PRIMARY_CARE',
      npi: '1234567893',
      name: 'Dr. A. Okafor',
      organization: 'Lakeside Clinic',
      period: { start: '2026-01-01T00:00:00Z' },
    },
    answer: 'The entry.',
  },
  'GET /v1/care-team/{id}': {
    summary: 'Read one entry of a care team',
    operation: { name: 'GetCareTeamEntry', field: 'careTeamEntry' },
    answer: 'The entry with its steps.',
  },
  ...stepRoutes(),
});

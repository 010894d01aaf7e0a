import { graphRoute } from '../../graph-route.js';

export const createCareTeamEntry = graphRoute({
  method: 'POST',
  path: '/v1/care-team',
  area: 'care-team',
  scope: 'care-team:write',
  tenant: 'required',
  summary: "Put somebody into a member's care team",
  description:
    '409 CONFLICT, with its `care_team_id`, where the same person has the same role in an overlapping period.',
  operation: { name: 'CreateCareTeamEntry', field: 'createCareTeamEntry' },
  body: { argument: 'input' },
  bodyExample: {
    member_id: 'M-1',
    role: 'PRIMARY_CARE',
    npi: '1234567893',
    name: 'Dr. A. Okafor',
    organization: 'Lakeside Clinic',
    period: { start: '2026-01-01T00:00:00Z' },
  },
  answer: 'The entry.',
});

import { graphRoute } from '../../graph-route.js';

export const getCareTeamEntry = graphRoute({
  method: 'GET',
  path: '/v1/care-team/{id}',
  area: 'care-team',
  scope: 'care-team:read',
  tenant: 'required',
  summary: 'Read one entry of a care team',
  operation: { name: 'GetCareTeamEntry', field: 'careTeamEntry' },
  params: { id: 'care_team_id' },
  answer: 'The entry with its steps.',
});

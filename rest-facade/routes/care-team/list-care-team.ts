import { graphRoute } from '../../graph-route.js';

export const listCareTeam = graphRoute({
  method: 'GET',
  path: '/v1/care-team',
  area: 'care-team',
  scope: 'care-team:read',
  tenant: 'required',
  summary: 'List who cares for members',
  operation: { name: 'ListCareTeam', field: 'careTeam' },
  answer: 'One page of entries, newest first unless told.',
});

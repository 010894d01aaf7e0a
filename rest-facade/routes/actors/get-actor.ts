import { graphRoute } from '../../graph-route.js';

export const getActor = graphRoute({
  method: 'GET',
  path: '/v1/actors/{id}',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Read one actor',
  operation: { name: 'GetActor', field: 'actor' },
  params: { id: 'actor_id' },
  answer: 'The actor.',
});

import { graphRoute } from '../../graph-route.js';

export const listActors = graphRoute({
  method: 'GET',
  path: '/v1/actors',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'List actors',
  operation: { name: 'ListActors', field: 'actors' },
  answer: 'One page of the actors in reach.',
});

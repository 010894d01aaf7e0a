import { graphRoute } from '../../graph-route.js';

export const createActor = graphRoute({
  method: 'POST',
  path: '/v1/actors',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Make an actor',
  operation: { name: 'CreateActor', field: 'createActor' },
  body: { argument: 'input' },
  bodyExample: { name: 'Jordan Reyes, appeals', role_ids: ['analyst'] },
  answer: 'The actor.',
});

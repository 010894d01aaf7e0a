import { graphRoute } from '../../graph-route.js';

export const changeActor = graphRoute({
  method: 'PATCH',
  path: '/v1/actors/{id}',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Rename, suspend or reactivate an actor',
  description: 'Keys of a suspended actor let nobody in, within 5 s in every process.',
  operation: { name: 'ChangeActor', field: 'changeActor' },
  params: { id: 'actor_id' },
  body: { argument: 'input' },
  bodyExample: { status: 'SUSPENDED' },
  answer: 'The actor as it is now.',
});

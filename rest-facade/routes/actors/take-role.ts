import { graphRoute } from '../../graph-route.js';

export const takeRole = graphRoute({
  method: 'DELETE',
  path: '/v1/actors/{id}/roles/{role_id}',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Take a role from an actor',
  description: 'A role that the actor lacks is no change.',
  operation: { name: 'TakeRole', field: 'takeRole' },
  params: { id: 'actor_id', role_id: 'role_id' },
  answer: 'The actor as it is now.',
});

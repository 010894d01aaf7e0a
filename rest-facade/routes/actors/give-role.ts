import { graphRoute } from '../../graph-route.js';

/** The specification's body is a free-form object; what it holds plays no part. */
export const giveRole = graphRoute({
  method: 'POST',
  path: '/v1/actors/{id}/roles/{role_id}',
  area: 'actors',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Give an actor a role',
  description: 'A role that the actor has already is no change. Nobody gives a role that they do not hold.',
  operation: { name: 'GiveRole', field: 'giveRole' },
  params: { id: 'actor_id', role_id: 'role_id' },
  body: 'free',
  bodyExample: {},
  answer: 'The actor as it is now.',
});

import { graphRoute } from '../../graph-route.js';

export const deleteRole = graphRoute({
  method: 'DELETE',
  path: '/v1/roles/{id}',
  area: 'roles',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Delete an own role',
  description: 'CONFLICT while an actor or a live key has it.',
  operation: { name: 'DeleteRole', field: 'deleteRole' },
  params: { id: 'role_id' },
  answer: 'The role as it was.',
});

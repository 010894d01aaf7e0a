import { graphRoute } from '../../graph-route.js';

export const getRole = graphRoute({
  method: 'GET',
  path: '/v1/roles/{id}',
  area: 'roles',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Read one role',
  operation: { name: 'GetRole', field: 'role' },
  params: { id: 'role_id' },
  answer: 'The role.',
});

import { graphRoute } from '../../graph-route.js';

export const listRoles = graphRoute({
  method: 'GET',
  path: '/v1/roles',
  area: 'roles',
  scope: 'admin',
  tenant: 'optional',
  summary: 'List roles',
  operation: { name: 'ListRoles', field: 'roles' },
  answer: 'One page of the built-in roles and the own ones in reach.',
});

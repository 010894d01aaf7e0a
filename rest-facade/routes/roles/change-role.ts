import { graphRoute } from '../../graph-route.js';

export const changeRole = graphRoute({
  method: 'PATCH',
  path: '/v1/roles/{id}',
  area: 'roles',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Change an own role',
  description: 'Whoever holds the role has its new scopes within 5 s. Built-in roles are not changed: CONFLICT.',
  operation: { name: 'ChangeRole', field: 'changeRole' },
  params: { id: 'role_id' },
  body: { argument: 'input' },
  bodyExample: { scopes: ['events:read'] },
  answer: 'The role as it is now.',
});

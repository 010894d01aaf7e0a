import { graphRoute } from '../../graph-route.js';

export const createRole = graphRoute({
  method: 'POST',
  path: '/v1/roles',
  area: 'roles',
  scope: 'admin',
  tenant: 'optional',
  summary: 'Make a role',
  operation: { name: 'CreateRole', field: 'createRole' },
  body: { argument: 'input' },
  bodyExample: { name: 'appeals', scopes: ['events:read', 'bundles:request'] },
  answer: 'The role.',
});

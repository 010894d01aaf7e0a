import { graphRoute } from '../../graph-route.js';

export const listTenants = graphRoute({
  method: 'GET',
  path: '/v1/tenants',
  area: 'tenants',
  scope: 'admin',
  tenant: 'none',
  summary: 'List tenants',
  operation: { name: 'ListTenants', field: 'tenants' },
  answer: 'One page of the tenants that the key may see.',
});

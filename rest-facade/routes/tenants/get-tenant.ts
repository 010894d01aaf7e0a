import { graphRoute } from '../../graph-route.js';

export const getTenant = graphRoute({
  method: 'GET',
  path: '/v1/tenants/{id}',
  area: 'tenants',
  scope: 'admin',
  tenant: 'none',
  summary: 'Read one tenant',
  operation: { name: 'GetTenant', field: 'tenant' },
  params: { id: 'tenant_id' },
  answer: 'The tenant.',
});

import { graphRoute } from '../../graph-route.js';

/** `tenant_id` in the body names the new tenant; only an operator's key gets past the resolver. */
export const createTenant = graphRoute({
  method: 'POST',
  path: '/v1/tenants',
  area: 'tenants',
  scope: 'admin',
  tenant: 'none',
  summary: 'Make a tenant',
  operation: { name: 'CreateTenant', field: 'createTenant' },
  body: 'arguments',
  bodyExample: { tenant_id: 'acme', name: 'Acme Health Plan' },
  answer: 'The tenant.',
});

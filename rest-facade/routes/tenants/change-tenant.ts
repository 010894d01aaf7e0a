import { graphRoute } from '../../graph-route.js';

export const changeTenant = graphRoute({
  method: 'PATCH',
  path: '/v1/tenants/{id}',
  area: 'tenants',
  scope: 'admin',
  tenant: 'none',
  summary: 'Rename, suspend or reactivate a tenant',
  description:
    'For platform operators. Keys of a suspended tenant are refused with TENANT_SUSPENDED, within 5 s in every process.',
  operation: { name: 'ChangeTenant', field: 'changeTenant' },
  params: { id: 'tenant_id' },
  body: { argument: 'input' },
  bodyExample: { status: 'SUSPENDED' },
  answer: 'The tenant as it is now.',
});

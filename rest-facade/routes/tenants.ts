import { type RouteArea, routeTable } from '../route-table.js';

const TENANTS: RouteArea = { area: 'tenants', id: 'tenant_id', reads: 'admin', tenant: 'none' };

export const tenantRoutes = routeTable(TENANTS, {
  /** `tenant_id` in the body names the new tenant; the resolver accepts only an operator's key. */
  'POST /v1/tenants': {
    summary: 'Create a tenant',
    operation: { name: 'CreateTenant', field: 'createTenant' },
    bodyExample: { tenant_id: 'acme', name: 'Acme Health Plan' },
    answer: 'The tenant.',
  },
  'GET /v1/tenants': {
    summary: 'List tenants',
    operation: { name: 'ListTenants', field: 'tenants' },
    answer: 'One page of the tenants that the key may see.',
  },
  'GET /v1/tenants/{id}': {
    summary: 'Read one tenant',
    operation: { name: 'GetTenant', field: 'tenant' },
    answer: 'The tenant.',
  },
  'PATCH /v1/tenants/{id}': {
    summary: 'Rename, suspend or reactivate a tenant',
    description:
      'For platform operators. Every process rejects the keys of a suspended tenant with TENANT_SUSPENDED within 5 s.',
    operation: { name: 'ChangeTenant', field: 'changeTenant' },
    bodyExample: { status: 'SUSPENDED' },
    answer: 'The updated tenant.',
  },
});

import type { AdminArea } from '../parts.js';
import { TENANT_MACHINE } from './domain.js';
import { TENANT_COLLECTION } from './model.js';
import { TenantResolver } from './resolver.js';
import { TenantInput } from './schema.js';

export { CachedTenantDirectory } from './directory.js';
export { TENANT_COLLECTION, tenantStore } from './model.js';
export type { Tenants } from './ports.js';

/** Tenants: their states and limits. */
export const tenantsArea: AdminArea = {
  resolvers: [TenantResolver],
  contractTypes: [TenantInput],
  stateMachines: [TENANT_MACHINE],
  collections: [TENANT_COLLECTION],
  wire: (parts) => ({ resolvers: [new TenantResolver(parts)] }),
};

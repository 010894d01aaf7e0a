import type { Principal } from '../../../shared/auth/context.js';
import { ANY_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

export const TENANT_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];

export const TENANT_MACHINE: StateMachine<TenantStatus, 'create' | 'suspend' | 'reactivate'> = stateMachine('tenant', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['tenant.created'] },
  { from: 'ACTIVE', action: 'suspend', to: 'SUSPENDED', scope: 'admin', emits: ['tenant.suspended'] },
  { from: 'SUSPENDED', action: 'reactivate', to: 'ACTIVE', scope: 'admin', emits: ['tenant.reactivated'] },
]);

/** Tenants with records that an administrative request may access: one, or `*` for all. Stores are opened for a reach. */
export type Reach = TenantId | typeof ANY_TENANT;

/** Returns the reach: a tenant's key reaches its own tenant, an operator's key the tenant that the request names, or all. */
export const reachOf = (principal: Principal, named: TenantId | null): Reach =>
  principal.tenantId ?? named ?? ANY_TENANT;

import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

export const TENANT_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;

export const TENANT_MACHINE: StateMachine<(typeof TENANT_STATUSES)[number], 'create' | 'suspend' | 'reactivate'> =
  stateMachine('tenant', [
    { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['tenant.created'] },
    { from: 'ACTIVE', action: 'suspend', to: 'SUSPENDED', scope: 'admin', emits: ['tenant.suspended'] },
    { from: 'SUSPENDED', action: 'reactivate', to: 'ACTIVE', scope: 'admin', emits: ['tenant.reactivated'] },
  ]);

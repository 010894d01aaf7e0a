import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

/** A role of a tenant's own. Deleted ones stay as records, for the entries that speak of them; nobody is shown them. */
export const ROLE_MACHINE: StateMachine<'ACTIVE' | 'DELETED', 'create' | 'update' | 'delete'> = stateMachine('role', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['role.created'] },
  { from: 'ACTIVE', action: 'update', to: 'ACTIVE', scope: 'admin', emits: ['role.updated'] },
  { from: 'ACTIVE', action: 'delete', to: 'DELETED', scope: 'admin', emits: ['role.deleted'] },
]);

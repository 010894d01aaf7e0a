import { type StateMachine, stateMachine } from '../../../../shared/state-machine/state-machine.js';

export const ACTOR_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;
export type ActorStatus = (typeof ACTOR_STATUSES)[number];

/** A person, or a system. */
export const ACTOR_KINDS = ['HUMAN', 'SERVICE'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Keys of a suspended actor are rejected. */
export const ACTOR_MACHINE: StateMachine<ActorStatus, 'create' | 'suspend' | 'reactivate'> = stateMachine('actor', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['actor.created'] },
  { from: 'ACTIVE', action: 'suspend', to: 'SUSPENDED', scope: 'admin', emits: ['actor.suspended'] },
  { from: 'SUSPENDED', action: 'reactivate', to: 'ACTIVE', scope: 'admin', emits: ['actor.reactivated'] },
]);

/** Roles of tenants. Deleted roles stay stored, because ledger entries name them, but are not shown. */
export const ROLE_MACHINE: StateMachine<'ACTIVE' | 'DELETED', 'create' | 'update' | 'delete'> = stateMachine('role', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['role.created'] },
  { from: 'ACTIVE', action: 'update', to: 'ACTIVE', scope: 'admin', emits: ['role.updated'] },
  { from: 'ACTIVE', action: 'delete', to: 'DELETED', scope: 'admin', emits: ['role.deleted'] },
]);

import type { HoldStatus } from '../../../../shared/contracts/holds.js';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// States of a legal hold (api.md section 3): active from its creation until its release under an authority.

export type HoldAction = 'create' | 'update' | 'release';

/** Authorities that end a hold. */
export const AUTHORITY_KINDS = ['COURT_ORDER', 'COUNSEL_APPROVAL', 'SETTLEMENT', 'REGULATOR_CLOSURE'] as const;
export type AuthorityKind = (typeof AUTHORITY_KINDS)[number];

const write = { scope: 'holds:write' } as const;

/** RELEASED is final; a new need requires a new hold. */
export const HOLD_MACHINE = stateMachine<HoldStatus, HoldAction>('legal hold', [
  { from: null, action: 'create', to: 'ACTIVE', ...write, emits: ['legal-hold.created'] },
  { from: 'ACTIVE', action: 'update', to: 'ACTIVE', ...write, emits: ['legal-hold.updated'] },
  { from: 'ACTIVE', action: 'release', to: 'RELEASED', ...write, emits: ['legal-hold.released'] },
]);

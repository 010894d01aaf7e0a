import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

export const SIGNING_KEY_STATUSES = ['PENDING', 'ACTIVE', 'RETIRED', 'REVOKED'] as const;
export type SigningKeyStatus = (typeof SIGNING_KEY_STATUSES)[number];

/** Why a key is revoked; the words are those of RFC 5280 section 5.3.1 as far as they fit. */
export const REVOCATION_REASONS = ['KEY_COMPROMISE', 'SUPERSEDED', 'CESSATION_OF_OPERATION', 'UNSPECIFIED'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** A key signs in one span of time: what was retired does not come back. Only an ACTIVE key signs. */
export const SIGNING_KEY_MACHINE: StateMachine<SigningKeyStatus, 'create' | 'activate' | 'retire' | 'revoke'> =
  stateMachine('signing key', [
    { from: null, action: 'create', to: 'PENDING', scope: 'admin', emits: ['signing-key.created'] },
    { from: 'PENDING', action: 'activate', to: 'ACTIVE', scope: 'admin', emits: ['signing-key.activated'] },
    { from: 'PENDING', action: 'retire', to: 'RETIRED', scope: 'admin', emits: ['signing-key.retired'] },
    { from: 'PENDING', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    { from: 'ACTIVE', action: 'retire', to: 'RETIRED', scope: 'admin', emits: ['signing-key.retired'] },
    { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    { from: 'RETIRED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    // Again changes nothing, so that a request may be sent again.
    { from: 'ACTIVE', action: 'activate', to: 'ACTIVE', scope: 'admin', emits: [] },
    { from: 'RETIRED', action: 'retire', to: 'RETIRED', scope: 'admin', emits: [] },
    { from: 'REVOKED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: [] },
  ]);

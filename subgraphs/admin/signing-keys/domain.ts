import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeyChange } from '../../../shared/contracts/signing-keys.js';
import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

export const SIGNING_KEY_STATUSES = ['PENDING', 'ACTIVE', 'RETIRED', 'REVOKED'] as const;
export type SigningKeyStatus = (typeof SIGNING_KEY_STATUSES)[number];

/** Reasons of a revocation, named as in RFC 5280 section 5.3.1. */
export const REVOCATION_REASONS = ['KEY_COMPROMISE', 'SUPERSEDED', 'CESSATION_OF_OPERATION', 'UNSPECIFIED'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** Only an ACTIVE key signs, and a retired key is never active again. */
export const SIGNING_KEY_MACHINE: StateMachine<SigningKeyStatus, 'create' | 'activate' | 'retire' | 'revoke'> =
  stateMachine('signing key', [
    { from: null, action: 'create', to: 'PENDING', scope: 'admin', emits: ['signing-key.created'] },
    { from: 'PENDING', action: 'activate', to: 'ACTIVE', scope: 'admin', emits: ['signing-key.activated'] },
    { from: 'PENDING', action: 'retire', to: 'RETIRED', scope: 'admin', emits: ['signing-key.retired'] },
    { from: 'PENDING', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    { from: 'ACTIVE', action: 'retire', to: 'RETIRED', scope: 'admin', emits: ['signing-key.retired'] },
    { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    { from: 'RETIRED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['signing-key.revoked'] },
    // A repeated request changes nothing.
    { from: 'ACTIVE', action: 'activate', to: 'ACTIVE', scope: 'admin', emits: [] },
    { from: 'RETIRED', action: 'retire', to: 'RETIRED', scope: 'admin', emits: [] },
    { from: 'REVOKED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: [] },
  ]);

/** Times of a key; null for steps not taken. */
interface SigningKeyTimes {
  readonly created_at: Date;
  readonly activated_at: Date | null;
  readonly retired_at: Date | null;
  readonly retirement: 'ROTATED' | 'RETIRED' | null;
  readonly revoked_at: Date | null;
  readonly revocation_reason: string | null;
  readonly revocation_effective_at: Date | null;
}

/** Returns the changes of a key, oldest first; its states have one order only (SIGNING_KEY_MACHINE). */
export function signingKeyHistory(key: SigningKeyTimes): SigningKeyChange[] {
  const at = (time: Date): string => isoTime(time.getTime());
  const { activated_at, retired_at, revoked_at, revocation_reason: reason, revocation_effective_at: effective } = key;
  return [
    { change: 'CREATED', at: at(key.created_at) },
    ...(activated_at === null ? [] : [{ change: 'ACTIVATED', at: at(activated_at) } as const]),
    ...(retired_at === null ? [] : [{ change: key.retirement ?? 'RETIRED', at: at(retired_at) } as const]),
    ...(revoked_at === null || reason === null || effective === null
      ? []
      : [
          {
            change: reason === 'KEY_COMPROMISE' ? 'COMPROMISED' : 'REVOKED',
            at: at(revoked_at),
            reason,
            effective_at: at(effective),
          } as const,
        ]),
  ];
}

import { type StateMachine, stateMachine } from '../../../../shared/state-machine/state-machine.js';

export const API_KEY_STATUSES = ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** Steps of a key; EXPIRED follows from the clock. A rotation without grace revokes at once. */
export const API_KEY_MACHINE: StateMachine<ApiKeyStatus, 'create' | 'rotate' | 'revoke'> = stateMachine('API key', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['api-key.created'] },
  { from: 'ACTIVE', action: 'rotate', to: 'ROTATING', scope: 'admin', emits: ['api-key.rotated'] },
  { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  { from: 'ROTATING', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  { from: 'EXPIRED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  // Revoking again changes nothing.
  { from: 'REVOKED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: [] },
]);

/** Revocation and rotation are stored; expiry and the end of grace follow from the clock. */
export interface KeyLifetime {
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
  /** End of the time for which a rotated key still works; never after its expiry. */
  readonly grace_ends_at: Date | null;
}

/**
 * Returns the status at a time. REVOKED takes precedence over EXPIRED, because a person acted; a rotation is an act too. A key
 * is dead at the instant of `expires_at` and of `grace_ends_at`.
 */
export function apiKeyStatusAt(key: KeyLifetime, nowMs: number): ApiKeyStatus {
  if (key.revoked_at !== null) return 'REVOKED';
  if (key.grace_ends_at !== null) return key.grace_ends_at.getTime() <= nowMs ? 'REVOKED' : 'ROTATING';
  return key.expires_at !== null && key.expires_at.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}

/** Returns the time at which the clock ends a key that is not revoked. */
export const keyEndsAtMs = ({ expires_at, grace_ends_at }: KeyLifetime): number | null =>
  (grace_ends_at ?? expires_at)?.getTime() ?? null;

/** A day: enough to replace the key in every system. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 7 * 86_400;

/** Returns the end of grace: after the requested time, but never after the key's expiry. */
export function graceEnd(key: Pick<KeyLifetime, 'expires_at'>, nowMs: number, graceSeconds: number): Date {
  const endMs = nowMs + graceSeconds * 1_000;
  return new Date(Math.min(endMs, key.expires_at?.getTime() ?? endMs));
}

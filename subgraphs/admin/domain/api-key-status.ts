import { type StateMachine, stateMachine } from '../../../shared/state-machine/state-machine.js';

export const API_KEY_STATUSES = ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** What may be done to a key; EXPIRED comes of itself. A rotation without grace revokes at once. */
export const API_KEY_MACHINE: StateMachine<ApiKeyStatus, 'create' | 'rotate' | 'revoke'> = stateMachine('API key', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'admin', emits: ['api-key.created'] },
  { from: 'ACTIVE', action: 'rotate', to: 'ROTATING', scope: 'admin', emits: ['api-key.rotated'] },
  { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  { from: 'ROTATING', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  { from: 'EXPIRED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: ['api-key.revoked'] },
  // Again changes nothing.
  { from: 'REVOKED', action: 'revoke', to: 'REVOKED', scope: 'admin', emits: [] },
]);

/** Revocation and rotation are facts that are stored; expiry and the end of grace are matters of the clock. */
export interface KeyLifetime {
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
  /** Until when a rotated key still works beside its successor; never after its expiry. */
  readonly grace_ends_at: Date | null;
}

/**
 * REVOKED outranks EXPIRED: it says that somebody acted, and a rotation is an act. A key is dead at the very instant of
 * `expires_at` and of `grace_ends_at`.
 */
export function apiKeyStatusAt(key: KeyLifetime, nowMs: number): ApiKeyStatus {
  if (key.revoked_at !== null) return 'REVOKED';
  if (key.grace_ends_at !== null) return key.grace_ends_at.getTime() <= nowMs ? 'REVOKED' : 'ROTATING';
  return key.expires_at !== null && key.expires_at.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}

/** The instant from which a key that is not revoked is dead by the clock alone. */
export const keyEndsAtMs = ({ expires_at, grace_ends_at }: KeyLifetime): number | null =>
  (grace_ends_at ?? expires_at)?.getTime() ?? null;

/** A day: long enough to change a setting in every system that holds the key. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 7 * 86_400;

/** The end of grace: as long as asked for, and never beyond the key's own expiry. */
export function graceEnd(key: Pick<KeyLifetime, 'expires_at'>, nowMs: number, graceSeconds: number): Date {
  const endMs = nowMs + graceSeconds * 1_000;
  return new Date(Math.min(endMs, key.expires_at?.getTime() ?? endMs));
}

export const API_KEY_STATUSES = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** Revocation is a fact that is stored; expiry is a matter of the clock and is never stored. */
export interface KeyLifetime {
  readonly revoked_at: Date | null;
  readonly expires_at: Date | null;
}

/** REVOKED outranks EXPIRED: it says that somebody acted. A key is dead at the very instant of `expires_at`. */
export function apiKeyStatusAt(key: KeyLifetime, nowMs: number): ApiKeyStatus {
  if (key.revoked_at !== null) return 'REVOKED';
  return key.expires_at !== null && key.expires_at.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}

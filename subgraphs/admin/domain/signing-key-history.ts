import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeyChange } from '../../../shared/contracts/signing-keys.js';

/** Times of a key's life; null for what has not been. */
export interface SigningKeyTimes {
  readonly created_at: Date;
  readonly activated_at: Date | null;
  readonly retired_at: Date | null;
  readonly retirement: 'ROTATED' | 'RETIRED' | null;
  readonly revoked_at: Date | null;
  readonly revocation_reason: string | null;
  readonly revocation_effective_at: Date | null;
}

/** What became of a key, oldest first: the states come in one order only (signing-key-states.ts). */
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

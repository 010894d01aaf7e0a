import { addressMatcher } from '../../shared/auth/cidr.js';
import type { Principal } from '../../shared/auth/context.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../shared/cache/answer-age.js';
import { FreshCache } from '../../shared/cache/fresh-cache.js';
import type { Clock } from '../../shared/clock/clock.js';
import { authenticateKey, type KeyAuthority, type PlainKeyVerdict } from '../../shared/contracts/tenants.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import type { Caller } from '../caller.js';

interface KnownKey {
  readonly principal: Principal;
  readonly endsAtMs: number | null;
  readonly isAllowedFrom: (address: string | null) => boolean;
}

/**
 * Checks API keys with the admin subgraph in another process. It answers from the database, so the cache here is the whole
 * age of an answer. The cache stores keys only by hash, and each check compares the end of the key and the caller's address. @throws UNAVAILABLE while the subgraph cannot be reached.
 */
export function remoteKeyAuthority(call: Caller, clock: Clock): KeyAuthority {
  // The cache loads by hash in the same turn, and needs the key only then.
  const presented = new Map<string, { readonly api_key: string; readonly address: string | null }>();
  const cache = new FreshCache<KnownKey>({
    clock,
    maxAgeMs: ANSWER_MAX_AGE_MS,
    absentMaxAgeMs: ABSENT_MAX_AGE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    load: async (hash) => {
      const asked = presented.get(hash);
      const verdict = asked && (await call(authenticateKey, null, asked));
      return verdict ? knownKeyOf(verdict) : undefined;
    },
  });
  return {
    async authenticate(apiKey, address) {
      const hash = sha256Hex(apiKey);
      presented.set(hash, { api_key: apiKey, address });
      const answer = cache.get(hash);
      presented.delete(hash);
      const known = await answer;
      if (!known?.isAllowedFrom(address)) return undefined;
      return known.endsAtMs === null || clock.nowMs() < known.endsAtMs ? known.principal : undefined;
    },
  };
}

const knownKeyOf = ({ principal, endsAtMs, allowedCidrs }: PlainKeyVerdict): KnownKey => ({
  principal: { ...principal, scopes: new Set(principal.scopes) },
  endsAtMs,
  isAllowedFrom: allowedCidrs.length === 0 ? () => true : addressMatcher(allowedCidrs),
});

import { addressMatcher } from '../../shared/auth/cidr.js';
import { internalContext, type Principal } from '../../shared/auth/context.js';
import type { HeldScope } from '../../shared/auth/scopes.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../shared/cache/answer-age.js';
import { FreshCache } from '../../shared/cache/fresh-cache.js';
import type { Clock } from '../../shared/clock/clock.js';
import type { KeyAuthority, KeyVerdict } from '../../shared/contracts/tenants.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import type { SubgraphClient } from '../subgraph-client.js';

const AUTHENTICATE = `query AuthenticateKey($api_key: String!, $address: String) {
  authenticateKey(api_key: $api_key, address: $address)
}`;

/** A verdict as it crosses between processes. */
interface PlainVerdict extends Omit<KeyVerdict, 'principal'> {
  readonly principal: Omit<Principal, 'scopes'> & { readonly scopes: readonly HeldScope[] };
}

interface KnownKey {
  readonly principal: Principal;
  readonly endsAtMs: number | null;
  readonly isAllowedFrom: (address: string | null) => boolean;
}

/**
 * API keys, judged by the admin subgraph in another process. It answers from the database, so that what is kept here is
 * the whole age of an answer; a key is kept under its hash alone, and its end and the caller's address are judged at
 * each check. @throws UNAVAILABLE while the subgraph cannot be reached.
 */
export function remoteKeyAuthority(admin: SubgraphClient, clock: Clock, caller: string): KeyAuthority {
  // A load is named by its hash and needs the key once: handed over in the same turn, and dropped at once.
  const presented = new Map<string, { readonly api_key: string; readonly address: string | null }>();
  const cache = new FreshCache<KnownKey>({
    clock,
    maxAgeMs: ANSWER_MAX_AGE_MS,
    absentMaxAgeMs: ABSENT_MAX_AGE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    load: async (hash) => {
      const { authenticateKey } = await admin.run(
        AUTHENTICATE,
        { ...presented.get(hash) },
        internalContext(null, caller),
      );
      return authenticateKey == null ? undefined : knownKeyOf(authenticateKey as PlainVerdict);
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

const knownKeyOf = ({ principal, endsAtMs, allowedCidrs }: PlainVerdict): KnownKey => ({
  principal: { ...principal, scopes: new Set(principal.scopes) },
  endsAtMs,
  isAllowedFrom: allowedCidrs.length === 0 ? () => true : addressMatcher(allowedCidrs),
});

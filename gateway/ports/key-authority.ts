import { internalContext, type Principal } from '../../shared/auth/context.js';
import type { HeldScope } from '../../shared/auth/scopes.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../shared/cache/answer-age.js';
import { FreshCache } from '../../shared/cache/fresh-cache.js';
import type { Clock } from '../../shared/clock/clock.js';
import type { KeyAuthority } from '../../shared/contracts/tenants.js';
import { sha256Hex } from '../../shared/crypto/hash.js';
import type { SubgraphClient } from '../subgraph-client.js';

const AUTHENTICATE = 'query AuthenticateKey($api_key: String!) { authenticateKey(api_key: $api_key) }';

/** A Principal as it crosses between processes. */
type PlainPrincipal = Omit<Principal, 'scopes'> & { readonly scopes: readonly HeldScope[] };

/**
 * API keys, judged by the admin subgraph in another process. It answers from the database, so that what is kept here is
 * the whole age of an answer; a key is kept under its hash alone. @throws UNAVAILABLE while it cannot be reached.
 */
export function remoteKeyAuthority(admin: SubgraphClient, clock: Clock, caller: string): KeyAuthority {
  // A load is told by its hash, and needs the key once: handed over in the same turn, and dropped when it is answered.
  const presented = new Map<string, string>();
  const cache = new FreshCache<Principal>({
    clock,
    maxAgeMs: ANSWER_MAX_AGE_MS,
    absentMaxAgeMs: ABSENT_MAX_AGE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    load: async (hash) => {
      const variables = { api_key: presented.get(hash) };
      const { authenticateKey } = await admin.run(AUTHENTICATE, variables, internalContext(null, caller));
      return authenticateKey == null ? undefined : principalOf(authenticateKey as PlainPrincipal);
    },
  });
  return {
    async authenticate(apiKey) {
      const hash = sha256Hex(apiKey);
      presented.set(hash, apiKey);
      const answer = cache.get(hash);
      presented.delete(hash);
      return answer;
    },
  };
}

const principalOf = (plain: PlainPrincipal): Principal => ({ ...plain, scopes: new Set(plain.scopes) });

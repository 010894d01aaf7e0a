import { internalContext } from '../../shared/auth/context.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../shared/cache/answer-age.js';
import { FreshCache } from '../../shared/cache/fresh-cache.js';
import type { Clock } from '../../shared/clock/clock.js';
import type { TenantDirectory, TenantSummary } from '../../shared/contracts/tenants.js';
import { isTenantId, OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import type { SubgraphClient } from '../subgraph-client.js';

const FIND = 'query FindTenant($tenant_id: String!) { findTenant(tenant_id: $tenant_id) }';

/**
 * The tenants, asked of the admin subgraph in another process. It answers from the database, so that what is kept here
 * is the whole age of an answer. @throws UNAVAILABLE while the subgraph cannot be reached.
 */
export function remoteTenantDirectory(admin: SubgraphClient, clock: Clock, caller: string): TenantDirectory {
  const cache = new FreshCache<TenantSummary>({
    clock,
    maxAgeMs: ANSWER_MAX_AGE_MS,
    absentMaxAgeMs: ABSENT_MAX_AGE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    load: async (tenantId) => {
      const { findTenant } = await admin.run(FIND, { tenant_id: tenantId }, internalContext(null, caller));
      return (findTenant ?? undefined) as TenantSummary | undefined;
    },
  });
  return {
    async find(tenantId) {
      // What no tenant can be called is not worth a question, nor a place in the cache.
      if (!isTenantId(tenantId) && tenantId !== OPERATOR_TENANT) return undefined;
      return cache.get(tenantId);
    },
  };
}

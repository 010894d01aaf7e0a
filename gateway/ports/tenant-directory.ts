import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../shared/cache/answer-age.js';
import { FreshCache } from '../../shared/cache/fresh-cache.js';
import type { Clock } from '../../shared/clock/clock.js';
import { findTenant, type TenantDirectory, type TenantSummary } from '../../shared/contracts/tenants.js';
import { isTenantId, OPERATOR_TENANT } from '../../shared/ids/tenant.js';
import type { Caller } from '../caller.js';

/**
 * Looks up tenants in the admin subgraph in another process. It answers from the database, so the cache here is the whole
 * age of an answer. @throws UNAVAILABLE while the subgraph cannot be reached.
 */
export function remoteTenantDirectory(call: Caller, clock: Clock): TenantDirectory {
  const cache = new FreshCache<TenantSummary>({
    clock,
    maxAgeMs: ANSWER_MAX_AGE_MS,
    absentMaxAgeMs: ABSENT_MAX_AGE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    load: async (tenantId) => (await call(findTenant, null, { tenant_id: tenantId })) ?? undefined,
  });
  return {
    async find(tenantId) {
      // An invalid name needs no call and no place in the cache.
      if (!isTenantId(tenantId) && tenantId !== OPERATOR_TENANT) return undefined;
      return cache.get(tenantId);
    },
  };
}

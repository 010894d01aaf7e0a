import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../../shared/cache/answer-age.js';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { TenantDirectory, TenantSummary } from '../../../shared/contracts/tenants.js';
import { isTenantId, OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { Tenants } from './ports.js';

/** Caches tenants for every request; a suspension takes effect in every process within 5 s. */
export class CachedTenantDirectory implements TenantDirectory {
  readonly #cache: FreshCache<TenantSummary>;

  constructor(tenants: Tenants, clock: Clock) {
    this.#cache = new FreshCache({
      clock,
      maxAgeMs: ANSWER_MAX_AGE_MS,
      absentMaxAgeMs: ABSENT_MAX_AGE_MS,
      maxEntries: MAX_CACHED_ANSWERS,
      load: (tenantId) => tenants.summary(tenantId),
    });
  }

  async find(tenantId: string): Promise<TenantSummary | undefined> {
    // Text that is no tenant identifier needs no query and no cache entry.
    if (!isTenantId(tenantId) && tenantId !== OPERATOR_TENANT) return undefined;
    return this.#cache.get(tenantId);
  }

  /** Drops a tenant that this process has created or changed. */
  forget(tenantId: string): void {
    this.#cache.forget(tenantId);
  }
}

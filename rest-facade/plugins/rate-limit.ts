import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../shared/auth/context.js';
import type { TenantDirectory } from '../../shared/contracts/tenants.js';
import { problem } from '../../shared/errors/problem.js';
import { isTenantId } from '../../shared/ids/tenant.js';
import type { RateLimits } from '../../shared/limits/rate-limits.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { namedTenant } from './identity.js';

export interface RateLimitDeps {
  readonly tenants: TenantDirectory;
  readonly limits: RateLimits;
  /** Default limit of a tenant; 0 means no limit. */
  readonly requestsPerMinute: number;
  readonly metrics: Pick<Metrics, 'limited'>;
}

/**
 * Takes one request from the tenant's bucket and sets the headers, on rejections too. An operator's request counts for the
 * tenant in header or query, else for the operator's key.
 *
 * @throws RATE_LIMITED
 */
export async function limitRate(
  deps: RateLimitDeps,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const tenantId = principal.tenantId ?? namedTenant(request);
  const tenant = tenantId !== undefined && isTenantId(tenantId) ? await deps.tenants.find(tenantId) : undefined;
  const perMinute = tenant?.rate_limit_per_minute ?? deps.requestsPerMinute;
  if (perMinute === 0) return;
  const decision = await deps.limits.take(tenant?.tenant_id ?? principal.keyId, perMinute);
  reply.header('ratelimit-limit', decision.limit);
  reply.header('ratelimit-remaining', decision.remaining);
  reply.header('ratelimit-reset', decision.resetSeconds);
  if (decision.retryAfterSeconds === null) return;
  deps.metrics.limited('tenant');
  throw problem('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
}

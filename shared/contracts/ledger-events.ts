import type { TenantId } from '../ids/tenant.js';

/** Which events there are, for parts that keep references to them. */
export interface LedgerEvents {
  /** Those of these events that the tenant has. @param eventIds at most 1,000. */
  known(tenantId: TenantId, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}

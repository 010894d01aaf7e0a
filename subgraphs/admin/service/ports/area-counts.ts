import type { NamedCount } from '../../../../shared/contracts/ledger-counters.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';

/** What the dashboard counts of this subgraph's own records; as they stand now. */
export interface AreaCounts {
  /** By status: REVOKED, EXPIRED and the end of grace are matters of the clock. */
  apiKeys(tenantId: TenantId, nowMs: number): Promise<readonly NamedCount[]>;
  actors(tenantId: TenantId): Promise<readonly NamedCount[]>;
  /** By `ENABLED` and `DISABLED`. */
  featureFlags(tenantId: TenantId): Promise<readonly NamedCount[]>;
  leads(
    tenantId: TenantId,
    window: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<{ readonly by_status: readonly NamedCount[]; readonly by_type: readonly NamedCount[] }>;
  /** All tenants of the platform, the reserved one left out. */
  tenants(): Promise<readonly NamedCount[]>;
}

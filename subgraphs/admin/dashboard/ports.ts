import type { NamedCount } from '../../../shared/contracts/ledger-counters.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

/** Current counts of this subgraph's records. */
export interface AreaCounts {
  /** By status at a time, which decides EXPIRED and the end of grace. */
  apiKeys(tenantId: TenantId, nowMs: number): Promise<readonly NamedCount[]>;
  actors(tenantId: TenantId): Promise<readonly NamedCount[]>;
  /** By `ENABLED` and `DISABLED`. */
  featureFlags(tenantId: TenantId): Promise<readonly NamedCount[]>;
  leads(
    tenantId: TenantId,
    window: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<{ readonly by_status: readonly NamedCount[]; readonly by_type: readonly NamedCount[] }>;
  /** Counts all tenants but the reserved one. */
  tenants(): Promise<readonly NamedCount[]>;
}

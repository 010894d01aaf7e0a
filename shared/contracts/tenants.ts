import type { Principal } from '../auth/context.js';
import type { TenantId } from '../ids/tenant.js';

export interface TenantSummary {
  readonly tenant_id: TenantId;
  /** Opaque id of the tenant's log: names segments and stands in the ledger origin (evidence.md section 2). */
  readonly log_id: string;
  readonly status: 'ACTIVE' | 'SUSPENDED';
}

/** What other subgraphs and the facade ask of the admin subgraph about tenants. Answers may be 5 s old at most. */
export interface TenantDirectory {
  /** Undefined for an unknown tenant; the reserved `_operator` tenant is always there. */
  find(tenantId: string): Promise<TenantSummary | undefined>;
}

/** What the facade asks about a presented API key. Answers may be 5 s old at most. */
export interface KeyAuthority {
  /** The principal of a live key, or undefined for an unknown, malformed, expired or revoked one. */
  authenticate(apiKey: string): Promise<Principal | undefined>;
}

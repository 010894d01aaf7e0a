import type { Principal } from '../auth/context.js';
import type { TenantId } from '../ids/tenant.js';

export interface TenantSummary {
  readonly tenant_id: TenantId;
  /** Opaque id of the tenant's log: names segments and stands in the ledger origin (evidence.md section 2). */
  readonly log_id: string;
  readonly status: 'ACTIVE' | 'SUSPENDED';
  /** Requests a minute where the tenant has a limit of its own; 0 is none, absent is the deployment's. */
  readonly rate_limit_per_minute?: number | null;
}

/** What other subgraphs and the facade ask of the admin subgraph about tenants. Answers may be 5 s old at most. */
export interface TenantDirectory {
  /** Undefined for an unknown tenant; the reserved `_operator` tenant is always there. */
  find(tenantId: string): Promise<TenantSummary | undefined>;
}

/** What a key is worth, as far as it can be told without knowing when and from where it comes. */
export interface KeyVerdict {
  readonly principal: Principal;
  /** The key is dead from this instant on: its expiry, or the end of its grace after a rotation. */
  readonly endsAtMs: number | null;
  /** Blocks of addresses that it may come from; empty for any. */
  readonly allowedCidrs: readonly string[];
}

/** What the facade asks about a presented API key. Answers may be 5 s old at most. */
export interface KeyAuthority {
  /**
   * The principal of a live key, or undefined for an unknown, malformed, expired or revoked one, one whose actor is
   * suspended, and one that comes from elsewhere than it may.
   *
   * @param address the caller's; null where it is not known, which no address list admits.
   */
  authenticate(apiKey: string, address: string | null): Promise<Principal | undefined>;
}

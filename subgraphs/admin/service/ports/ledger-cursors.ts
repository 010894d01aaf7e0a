import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';

/** How far the chains of tenants have been made into messages. */
export interface LedgerCursors {
  of(tenantId: TenantId): Promise<readonly ChainHead[]>;
  /** Never back. A cursor that a crash loses is read on from where it stood: what comes again is there already. */
  advance(tenantId: TenantId, heads: readonly ChainHead[]): Promise<void>;
}

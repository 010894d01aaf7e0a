import type { TenantSummary } from '../../../shared/contracts/tenants.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { RowReader } from '../../../shared/records/row-store.js';
import type { Stored } from '../../../shared/records/stored.js';
import type { Reach, TenantStatus } from './domain.js';
import type { Tenant } from './schema.js';

/** A tenant as stored; `log_id` is the opaque id of its log. */
export type TenantRecord = Stored<Tenant, { log_id: string; rate_limit_per_minute?: number | null }>;

interface TenantChange {
  /** The change applies only in this state. */
  readonly from: TenantStatus;
  readonly set: Partial<Pick<TenantRecord, 'name' | 'status' | 'rate_limit_per_minute'>>;
  readonly pending: readonly PendingEffect[];
}

/** Tenants that a principal may see; never the reserved one. */
interface TenantsInReach extends RowReader<TenantRecord> {
  /** @returns the changed tenant; null if there is none in that state. */
  change(tenantId: string, change: TenantChange): Promise<TenantRecord | null>;
}

export interface Tenants {
  /** @returns false if the identifier is taken. Durable when it resolves. */
  insert(tenant: TenantRecord, pending: readonly PendingEffect[]): Promise<boolean>;
  within(reach: Reach): TenantsInReach;
  /** Any tenant, the reserved one included; only for the directory. */
  summary(tenantId: string): Promise<TenantSummary | undefined>;
}

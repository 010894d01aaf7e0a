import type { TenantId } from '../ids/tenant.js';

export type OrderedBundleStatus = 'REQUESTED' | 'SEALED' | 'FAILED';

/** A bundle over everything of one member. */
export interface BundleOrder {
  /** Fixed before the first attempt: ordering it again changes nothing. */
  readonly bundle_id: string;
  readonly member_id: string;
  /** For whom, as the bundle's record says it. */
  readonly requested_by: string;
}

/** Bundles, for parts of the service that need one made. */
export interface BundleOrders {
  /** Resolves when the request stands; a worker builds it. */
  order(tenantId: TenantId, order: BundleOrder): Promise<void>;
  /** Null for one that the tenant does not have. */
  statusOf(tenantId: TenantId, bundleId: string): Promise<OrderedBundleStatus | null>;
}

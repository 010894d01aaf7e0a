import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import type { StampFields } from '../../../shared/timestamp/stamp-row.js';

/** The time-stamp of a bundle's signature, or the pending work; `_id` is the bundle_id. */
export interface TimestampRow extends WorkRow, StampFields {
  readonly tenant_id: TenantId;
  readonly requested_at: Date;
}

export interface TimestampStore {
  /**
   * Makes a time-stamp due at once; an existing one stays unchanged.
   *
   * @returns whether it is new
   */
  ask(tenantId: TenantId, bundleId: string, at: Date): Promise<boolean>;
  get(tenantId: TenantId, bundleId: string): Promise<TimestampRow | null>;
}

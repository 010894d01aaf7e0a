import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RowChange, WorkRow } from '../../../shared/jobs/work-queue.js';
import type { BundleTimestamp } from './schema.js';

/** Sends a query to a time-stamp authority. Returns the raw reply, or the reason for having none. */
export type AskAuthority = (
  query: Uint8Array,
  signal: AbortSignal,
) => Promise<{ readonly reply: Buffer } | { readonly failure: string }>;

/** The time-stamp of a bundle's signature, or the pending work; `_id` is the bundle_id. */
export interface TimestampRow extends WorkRow, Readonly<Omit<BundleTimestamp, 'bundle_id'>> {
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

export type TimestampChange = RowChange & { readonly set: Partial<Omit<TimestampRow, keyof WorkRow>> };

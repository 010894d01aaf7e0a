import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { RowChange, WorkRow } from '../../../../shared/jobs/work-queue.js';
import type { TimestampStatus } from '../../domain/timestamp-status.js';

/** A time-stamp of a bundle's signature, or the work of getting one; `_id` is the bundle_id. */
export interface TimestampRow extends WorkRow {
  readonly tenant_id: TenantId;
  readonly status: TimestampStatus;
  readonly attempts: number;
  readonly requested_at: Date;
  /** Why the last attempt got none; no words of the authority's. */
  readonly last_error: string | null;
  /** SHA-256 of signature.sig, hex. */
  readonly message_imprint: string | null;
  readonly gen_time: string | null;
  readonly serial: string | null;
  readonly policy: string | null;
  readonly authority: string | null;
  /** TimeStampResp as it came, base64. */
  readonly reply: string | null;
}

export interface TimestampStore {
  /** Due at once; one that is there stays as it is. @returns whether it is new */
  ask(tenantId: TenantId, bundleId: string, at: Date): Promise<boolean>;
  get(tenantId: TenantId, bundleId: string): Promise<TimestampRow | null>;
}

export type TimestampChange = RowChange & { readonly set: Partial<Omit<TimestampRow, keyof WorkRow>> };

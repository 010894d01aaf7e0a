import type { TenantId } from '../ids/tenant.js';

/** Members who wait for an answer about what there is of them: until they have it, nothing of it is deleted. */
export interface OpenRequests {
  /** Under every identifier of each. Read after the gate's state; who takes such a request in halts the deletions before it is answered. */
  memberIds(tenantId: TenantId): Promise<readonly string[]>;
}

import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

/** Kinds that are opened from outside the ledger (api.md section 2 "Exceptions"). */
export type OutsideExceptionKind = 'JOB_POISONED' | 'WEBHOOK_SUSPENDED';

/** Something that a person must look at. No personal data: ids, states, times, classes of errors. */
export interface OutsideException {
  readonly kind: OutsideExceptionKind;
  /** What it is about; kind and subject are its identity while it is open. */
  readonly subject: JsonObject;
  readonly detail: JsonObject;
}

/** How parts outside the ledger subgraph open exceptions. */
export interface ExceptionDesk {
  /** Resolves when it is durable; opening one that is open changes nothing. */
  open(tenantId: TenantId, exception: OutsideException): Promise<void>;
}

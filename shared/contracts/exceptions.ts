import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';

/** Every kind of exception (api.md section 2 "Exceptions"); severity and advice stand in the ledger's table of kinds. */
export const EXCEPTION_KINDS = [
  'PARSE_FAILED',
  'VALIDATION_FAILED',
  'SOURCE_RECORD_CONFLICT',
  'UNKNOWN_MEMBER',
  'SEQUENCE_GAP',
  'CHAIN_BREAK',
  'WORM_MISMATCH',
  'WORM_MISSING',
  'FEED_STALE',
  'CONTROL_NUMBER_GAP',
  'UNMATCHED_REMITTANCE',
  'BUNDLE_FAILED',
  'AI_ADVERSE_UNREVIEWED',
  'WEBHOOK_FAILING',
  'WEBHOOK_SUSPENDED',
  'CHECKPOINT_REGRESS',
  'JOB_POISONED',
  'AUTHORIZATION_LATE',
  'AUTHORIZATION_MISMATCH',
  'REMITTANCE_UNBALANCED',
  'DOCUMENT_QUARANTINED',
  'DATA_RIGHT_OVERDUE',
] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/** Something that a person must look at. No personal data: ids, states, times, classes of errors. */
export interface OutsideException {
  readonly kind: ExceptionKind;
  /** What it is about; kind and subject are its identity while it is not resolved. */
  readonly subject: JsonObject;
  /** What an operator needs in order to act; members by kind in docs/exceptions.md. */
  readonly detail: JsonObject;
}

/** How parts outside the ledger subgraph open exceptions, and take back what has righted itself. */
export interface ExceptionDesk {
  /** Resolves when it is durable. One that is not resolved yet is counted again and not repeated. */
  open(tenantId: TenantId, exception: OutsideException): Promise<void>;
  /** Resolves the one that stands of this kind and subject, if there is one. @param note why it is over. */
  resolve(tenantId: TenantId, kind: ExceptionKind, subject: JsonObject, note: string): Promise<void>;
  /** Whether the tenant has this exception, whatever became of it. */
  has(tenantId: TenantId, exceptionId: string): Promise<boolean>;
}

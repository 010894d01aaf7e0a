import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';
import { DONE, defineCall, JSON_OBJECT, json, TEXT, word } from './call.js';

/** Every kind of exception (api.md section 2 "Exceptions"); the ledger's table of kinds holds severity and advice. */
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

/** A fact that a person must look at. No personal data: ids, states, times, classes of errors. */
export interface OutsideException {
  readonly kind: ExceptionKind;
  /** What the exception is about. Kind and subject identify it until it is resolved. */
  readonly subject: JsonObject;
  /** What an operator needs in order to act; members by kind in docs/exceptions.md. */
  readonly detail: JsonObject;
}

/** Opens and resolves exceptions for parts outside the ledger subgraph. */
export interface ExceptionDesk {
  /** Resolves when the exception is durable. An open one with this kind and subject is counted again, not repeated. */
  open(tenantId: TenantId, exception: OutsideException): Promise<void>;
  /** Resolves the open exception of this kind and subject, if there is one. @param note why it is over. */
  resolve(tenantId: TenantId, kind: ExceptionKind, subject: JsonObject, note: string): Promise<void>;
  /** Returns whether the tenant has this exception, in any status. */
  has(tenantId: TenantId, exceptionId: string): Promise<boolean>;
}

const KIND = word(z.enum(EXCEPTION_KINDS));
const OBJECT = json(JSON_OBJECT);

export const openException = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'openException',
  input: { kind: KIND, subject: OBJECT, detail: OBJECT },
  output: z.string(),
});

export const resolveStandingException = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'resolveStandingException',
  input: { kind: KIND, subject: OBJECT, note: TEXT },
  output: DONE,
});

export const hasException = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'hasException',
  input: { exception_id: TEXT },
  output: z.boolean(),
});

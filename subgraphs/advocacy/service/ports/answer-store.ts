import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';

export const ANSWER_KINDS = ['EXPLAIN', 'GUIDELINE', 'RECODE'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** What makes an answer the same answer. */
export interface AnswerKey {
  readonly tenant_id: TenantId;
  readonly event_id: string;
  readonly kind: AnswerKind;
  /** Of the canonical answer. */
  readonly answer_sha256: string;
}

/** A revision that an answer stood on. */
export interface StoodOnRule {
  readonly rule_id: string;
  readonly revision: number;
  readonly artifact_sha256: string;
}

/** That an answer was given, and on what it stood; the answer itself, which is personal, is not kept. */
export interface KeptAnswer extends AnswerKey {
  readonly verdict: string | null;
  readonly rules: readonly StoodOnRule[];
  readonly created_at: Date;
  /** `source_record_id` of its entry in `_records`; absent when nobody asked for one. */
  readonly recorded_entry_id?: string;
}

export interface AnswerStore {
  find(key: AnswerKey): Promise<KeptAnswer | null>;
  /** False when it is kept already: then nothing is written, and none of the effects will be performed. */
  insert(answer: KeptAnswer, pending: readonly PendingEffect[]): Promise<boolean>;
  /** False when it has an entry already. */
  markRecorded(key: AnswerKey, entryId: string, pending: readonly PendingEffect[]): Promise<boolean>;
  /** Performs at once what a write has left to be done. */
  relay(key: AnswerKey, pending: readonly PendingEffect[]): Promise<void>;
}

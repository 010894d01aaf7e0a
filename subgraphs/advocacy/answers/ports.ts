import type { TenantId } from '../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { StoodOnRule } from './schema.js';

export type AnswerKind = 'EXPLAIN' | 'GUIDELINE' | 'RECODE';

/** The stored row of an answer. The answer itself is personal and is not stored. */
export interface AnswerRow {
  /** The tenant, event, kind and hash: of two concurrent requests with the same new answer, one writes. */
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly event_id: string;
  readonly kind: AnswerKind;
  /** Hash of the canonical answer. */
  readonly answer_sha256: string;
  readonly verdict: string | null;
  readonly rules: readonly StoodOnRule[];
  readonly created_at: Date;
  /** `source_record_id` of its entry in `_records`; absent if the answer was not recorded. */
  readonly recorded_entry_id?: string;
}

export interface AnswerStore {
  find(id: string): Promise<AnswerRow | null>;
  /** Performs the effects too. @returns false if the row exists already; then no effect is performed. */
  insert(answer: AnswerRow, pending: readonly PendingEffect[]): Promise<boolean>;
  /** Performs the entry too. @returns false if the row has an entry already. */
  markRecorded(id: string, entry: PendingEffect): Promise<boolean>;
}

import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { ExceptionKind, Severity } from '../../domain/exception-kinds.js';

/** What happened to what. Neither `subject` nor `detail` holds personal data: ids, positions, hashes and reasons only. */
export interface ExceptionDraft {
  readonly kind: ExceptionKind;
  readonly source: 'INGEST' | 'RECONCILIATION';
  readonly subject: JsonObject;
  readonly detail: JsonObject;
  readonly raw_sha256?: string;
}

export interface ExceptionRow extends ExceptionDraft {
  readonly exception_id: string;
  readonly severity: Severity;
  readonly status: 'OPEN';
  /** Stands until the exception is resolved; makes (kind, subject) unique among those that are not. */
  readonly active: true;
  readonly subject_key: string;
  readonly created_at: Date;
  readonly history: readonly { readonly at: string; readonly action: 'OPENED' }[];
}

/** Exceptions of one tenant. */
export interface ExceptionStore {
  /** Inserts what is new; answers for each row the one that stands, the given one or an earlier one of its subject. */
  insertNew(rows: readonly ExceptionRow[]): Promise<readonly ExceptionRow[]>;
}

import type { RedactionSubject } from '../../domain/redaction.js';

/** A content that was stored for a redaction, or may have been: it is noted before its first byte is. */
export interface StoredRendition {
  readonly redaction_id: string;
  readonly subject: RedactionSubject;
  readonly sha256: string;
  readonly noted_at: Date;
}

/** Renditions in one tenant: whatever says of a record all that was not hidden, in force or not. */
export interface StoredRenditions {
  of(subjectIds: readonly string[]): Promise<readonly StoredRendition[]>;
  /** Those that one of these contents is. */
  named(sha256s: readonly string[]): Promise<readonly StoredRendition[]>;
  /** All of them, a batch of redactions at a time in the order of their ids. */
  all(): AsyncIterable<readonly StoredRendition[]>;
  /** It is gone, or others answer for the same bytes. */
  forget(rendition: StoredRendition): Promise<void>;
}

import type { RedactableMediaType, RedactedPage } from '../../domain/redaction.js';

export interface RedactionWork {
  readonly mediaType: RedactableMediaType;
  readonly bytes: Uint8Array;
  readonly terms: readonly string[];
  readonly pages: readonly RedactedPage[];
}

/** Makes the rendition of a document: what is hidden is gone from the bytes. */
export interface DocumentRedactor {
  /**
   * @throws VALIDATION_ERROR naming terms and pages that the document has not; CONFLICT for a document that cannot be
   *   read, or not within the limits.
   */
  redact(work: RedactionWork): Promise<Uint8Array>;
}

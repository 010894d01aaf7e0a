import type { RedactableMediaType, RedactedPage } from './domain.js';

/** Makes the rendition of a document: the bytes no longer contain the hidden parts. */
export interface DocumentRedactor {
  /**
   * @throws VALIDATION_ERROR for terms and pages that the document lacks
   * @throws CONFLICT for a document that cannot be read, or exceeds the limits
   */
  redact(work: {
    readonly mediaType: RedactableMediaType;
    readonly bytes: Uint8Array;
    readonly terms: readonly string[];
    readonly pages: readonly RedactedPage[];
  }): Promise<Uint8Array>;
}

/** Extracts the text of documents. */
export interface TextExtractor {
  canRead(mediaType: string): boolean;
  /** Returns the text, or the code of the failure; a code never quotes content. */
  extract(mediaType: string, bytes: Uint8Array): Promise<{ readonly text: string } | { readonly fault: string }>;
}

/** Reads the words of a document. */
export interface TextExtractor {
  canRead(mediaType: string): boolean;
  /** The text, or the code of why it could not be read; never what was read. */
  extract(mediaType: string, bytes: Uint8Array): Promise<{ readonly text: string } | { readonly fault: string }>;
}

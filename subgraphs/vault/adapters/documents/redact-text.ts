import { withoutTerms } from '../../domain/find-terms.js';
import { decodeText } from './decode-text.js';
import { DocumentFault } from './document-fault.js';

/** Plain text without the terms, in UTF-8. @throws DocumentFault NOT_FOUND */
export function redactText(bytes: Uint8Array, terms: readonly string[]): Uint8Array {
  const { text, found } = withoutTerms(decodeText(bytes), terms);
  const missing = terms.flatMap((_, i) => (found.has(i) ? [] : [i]));
  if (missing.length > 0) throw new DocumentFault('NOT_FOUND', { terms: missing, pages: [] });
  return Buffer.from(text);
}

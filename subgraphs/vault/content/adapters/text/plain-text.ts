import { withoutTerms } from '../../domain.js';
import { DocumentFault } from '../processes/messages.js';

/** Decodes plain text by its byte order mark, else as UTF-8, else as Windows-1252, which accepts any bytes. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/**
 * Returns plain text without the terms, in UTF-8.
 *
 * @throws DocumentFault NOT_FOUND
 */
export function redactText(bytes: Uint8Array, terms: readonly string[]): Uint8Array {
  const { text, found } = withoutTerms(decodeText(bytes), terms);
  const missing = terms.flatMap((_, i) => (found.has(i) ? [] : [i]));
  if (missing.length > 0) throw new DocumentFault('NOT_FOUND', { terms: missing, pages: [] });
  return Buffer.from(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const declared = /^(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;

export interface DocumentText {
  readonly text: string;
  /** True when the bytes are not of the encoding they should be. */
  readonly mismatch: boolean;
}

/** The text of a document by the encoding it declares, UTF-8 without one; null for an encoding that is not read. */
export function documentText(bytes: Buffer): DocumentText | null {
  const encoding = (declared.exec(bytes.toString('latin1', 0, 300))?.[1] ?? 'utf-8').toLowerCase();
  if (/^(?:iso-8859-1|latin1|windows-1252)$/.test(encoding)) return { text: decodeWestern(bytes), mismatch: false };
  if (encoding !== 'utf-8' && encoding !== 'utf8' && encoding !== 'us-ascii' && encoding !== 'ascii') return null;
  try {
    return { text: utf8.decode(bytes), mismatch: false };
  } catch {
    // Bytes that are no UTF-8 are of a sender that means windows-1252; the warning says so.
    return { text: decodeWestern(bytes), mismatch: true };
  }
}

function decodeWestern(bytes: Buffer): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

/** Half-open. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The requested part of content: all, a range, or a range outside it. */
type Asked = { readonly kind: 'whole' } | ({ readonly kind: 'part' } & ByteRange) | { readonly kind: 'outside' };

const WHOLE: Asked = { kind: 'whole' };
const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * Reads Range and If-Range (RFC 9110 sections 13.1.5 and 14.2). Ignores an unknown form, several ranges, and a range of
 * another version than If-Range names.
 */
export function askedRange(
  headers: { readonly range?: string | undefined; readonly ifRange?: string | undefined },
  etag: string,
  sizeBytes: number,
): Asked {
  const { range, ifRange } = headers;
  const match = range === undefined ? null : ONE_RANGE.exec(range.trim());
  if (!match) return WHOLE;
  // One tag, compared strongly: a weak tag, a date, a list or `*` does not identify the bytes.
  if (ifRange !== undefined && ifRange.trim() !== etag) return WHOLE;
  const [, from, to, suffix] = match;
  if (suffix !== undefined) return part(Math.max(0, sizeBytes - Number(suffix)), sizeBytes, sizeBytes);
  const last = to === undefined || to === '' ? sizeBytes - 1 : Number(to);
  if (last < Number(from) && to !== '') return WHOLE;
  return part(Number(from), Math.min(last + 1, sizeBytes), sizeBytes);
}

const part = (start: number, end: number, sizeBytes: number): Asked =>
  start >= sizeBytes || start >= end ? { kind: 'outside' } : { kind: 'part', start, end };

import { problem } from '../../shared/errors/problem.js';
import type { RawContent } from '../route.js';

/** Media types of a bare raw message (mapping.md section 1). */
export const RAW_MEDIA_TYPES = [
  'application/edi-x12',
  'application/hl7-v2',
  'x-application/hl7-v2+er7',
  'application/fhir+json',
  'application/fhir+xml',
  'application/x-ndjson',
  'application/xml',
  'text/xml',
  'application/x-ncpdp',
  'application/cda+xml',
  'application/octet-stream',
  'text/plain',
  'application/gzip',
  'application/zip',
  'application/fhir+ndjson',
  'application/x-www-form-urlencoded',
] as const;

/** Types that say nothing of a raw message: the first bytes decide. An absent type is ''. */
const UNTYPED: ReadonlySet<string> = new Set([
  '',
  'application/x-gzip',
  'application/x-zip-compressed',
  'binary/octet-stream',
]);

/** True for a type that a raw message may have. */
export const isRawMediaType = (mediaType: string): boolean =>
  UNTYPED.has(mediaType) || RAW_MEDIA_TYPES.some((known) => known === mediaType);

export const JSON_MEDIA_TYPE = 'application/json';

/** `type/subtype` in lower case, without parameters. */
export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

export const tooLarge = (maxBytes: number) =>
  problem('PAYLOAD_TOO_LARGE', { message: `The body must not exceed ${maxBytes} bytes.` });

/** Rejects by Content-Length before a byte is read; a stream without one is counted while it is read. */
export function refuseAnnounced({ contentLengthBytes }: RawContent, maxBytes: number): void {
  if (contentLengthBytes !== undefined && contentLengthBytes > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Streams the bytes of the body. Throws MALFORMED_BODY for an empty body, and if the sender disconnects before the end; then
 * nothing is committed.
 */
export async function* nonEmpty({ stream }: RawContent): AsyncGenerator<Buffer> {
  // Request streams have no encoding, so they yield buffers.
  const chunks: AsyncIterable<Buffer> = stream;
  let sizeBytes = 0;
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  } catch (cause) {
    throw problem('MALFORMED_BODY', { message: 'The body ended early.', cause });
  }
  if (sizeBytes === 0) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
}

/** Reads the whole body into memory, at most `maxBytes`. */
export async function collected(
  content: RawContent,
  maxBytes: number,
  bytes: AsyncIterable<Buffer> = nonEmpty(content),
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

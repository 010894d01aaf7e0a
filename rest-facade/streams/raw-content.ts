import { problem } from '../../shared/errors/problem.js';
import type { RawContent } from '../route.js';

/** Content types that a bare raw message may come in (mapping.md section 1). */
export const RAW_MEDIA_TYPES = [
  'application/edi-x12',
  'application/hl7-v2',
  'x-application/hl7-v2+er7',
  'application/fhir+json',
  'application/x-ndjson',
  'application/xml',
  'application/x-ncpdp',
  'application/octet-stream',
  'text/plain',
] as const;

export const JSON_MEDIA_TYPE = 'application/json';

/** `type/subtype` in lower case, without parameters. */
export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

const tooLarge = (maxBytes: number) =>
  problem('PAYLOAD_TOO_LARGE', { message: `A body may have ${maxBytes} bytes here.` });

/** Refuses by the announced length, before a byte is read; a stream without one is counted as it comes. */
export function refuseAnnounced({ contentLengthBytes }: RawContent, maxBytes: number): void {
  if (contentLengthBytes !== undefined && contentLengthBytes > maxBytes) throw tooLarge(maxBytes);
}

/**
 * The body's bytes, or MALFORMED_BODY when there are none: looks at the first ones before anything is stored. A sender
 * that goes away in the middle is MALFORMED_BODY too, and then nothing is committed.
 */
export async function* nonEmpty({ stream }: RawContent): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  } catch (cause) {
    throw problem('MALFORMED_BODY', { message: 'The body ended early.', cause });
  }
  if (sizeBytes === 0) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
}

/** The whole body in memory, at most `maxBytes` of it. */
export async function collected(content: RawContent, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of nonEmpty(content)) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

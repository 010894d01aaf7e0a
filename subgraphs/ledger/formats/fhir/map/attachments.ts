import { hash } from 'node:crypto';
import type { AttachedDocument } from '../../format-adapter.js';
import { compact } from '../../values/payload.js';
import { type Fields, textAt } from '../json/objects.js';

/**
 * Describes an Attachment by type, title, size and hash, and passes its bytes on for the vault.
 *
 * @param documents takes the bytes; an attachment with a URL alone adds none.
 */
export function describeAttachment(attachment: Fields, documents: AttachedDocument[]): Record<string, unknown> {
  const bytes = Buffer.from(textAt(attachment, 'data'), 'base64');
  const [mediaType, title] = [textAt(attachment, 'contentType'), textAt(attachment, 'title')];
  if (bytes.length > 0) documents.push({ bytes, mediaType, filename: title, title });
  return compact({
    media_type: mediaType,
    title,
    url: textAt(attachment, 'url'),
    ...(bytes.length > 0 && { size_bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }),
  });
}

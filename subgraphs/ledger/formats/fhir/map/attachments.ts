import { hash } from 'node:crypto';
import type { AttachedDocument } from '../../format-adapter.js';
import { compact } from '../../values/payload.js';
import { type Fields, fieldsAt, listAt, textAt } from '../json/objects.js';

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

const ATTACHMENTS_LIMIT = 50;

/** Describes several Attachments, without empty ones. */
export const describeAttachments = (
  attachments: readonly Fields[],
  documents: AttachedDocument[],
): Record<string, unknown>[] =>
  attachments
    .slice(0, ATTACHMENTS_LIMIT)
    .map((one) => describeAttachment(one, documents))
    .filter((one) => Object.keys(one).length > 0);

/**
 * Describes the Attachments of the DocumentReferences that a resource contains, also those in a contained Bundle: Da Vinci
 * CDex answers a Task so.
 */
export function describeContained(resource: Fields, documents: AttachedDocument[]): Record<string, unknown>[] {
  const contained = listAt(resource, 'contained').flatMap((one) =>
    textAt(one, 'resourceType') === 'Bundle' ? listAt(one, 'entry').map((entry) => fieldsAt(entry, 'resource')) : [one],
  );
  const attachments = contained
    .filter((one) => textAt(one, 'resourceType') === 'DocumentReference')
    .flatMap((one) => listAt(one, 'content'))
    .map((content) => fieldsAt(content, 'attachment'));
  return describeAttachments(attachments, documents);
}

import { hash } from 'node:crypto';
import type { AttachedDocument } from '../../format-adapter.js';
import { compact } from '../../values/payload.js';
import type { XmlElement } from '../../values/xml/xml-element.js';
import type { Warn } from './describe-message.js';

/** The most attachments of one message. */
const LIMIT = 50;
const NAMES: ReadonlySet<string> = new Set(['Attachment', 'ClinicalInfoAttachment']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The attachments of a message: descriptions for the payload, and the bytes for the vault. */
interface Attachments {
  readonly described: Record<string, unknown>[];
  readonly documents: AttachedDocument[];
}

/**
 * Reads every Attachment and ClinicalInfoAttachment of a transaction (PARequest, ClinicalInfoResponse and others):
 * AttachmentControlNumber, AttachmentSource, AttachmentData in base64 and MIMEType, as the schemas of 2013071 and 2017071
 * name them.
 */
export function readAttachments(transaction: XmlElement, warn: Warn): Attachments {
  const found: Attachments = { described: [], documents: [] };
  for (const attachment of attachmentsIn(transaction)) {
    if (found.described.length >= LIMIT) {
      warn('CONTENT_NOT_STORED', 'the attachments beyond 50 are only in the raw message');
      break;
    }
    const mediaType = textIn(attachment, 'MIMEType', 'MimeType', 'MediaType');
    const text = textIn(attachment, 'AttachmentData', 'Data').replace(/\s+/g, '');
    const bytes = BASE64.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
    if (bytes.length > 0) found.documents.push({ bytes, mediaType, filename: '' });
    else warn('CONTENT_NOT_STORED', 'an attachment has no data in base64: it is not in the vault');
    found.described.push(
      compact({
        control_number: textIn(attachment, 'AttachmentControlNumber'),
        source: textIn(attachment, 'AttachmentSource'),
        media_type: mediaType,
        url: textIn(attachment, 'AttachmentURL', 'URL'),
        ...(bytes.length > 0 && { size_bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') }),
      }),
    );
  }
  return found;
}

/** The attachments at any depth, in the order of the document, without those inside another. */
function* attachmentsIn(transaction: XmlElement): Generator<XmlElement> {
  const open = [transaction];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const inner: XmlElement[] = [];
    for (const name of element.childNames()) {
      if (NAMES.has(name)) yield* element.children(name);
      else inner.push(...element.children(name));
    }
    open.push(...inner.reverse());
  }
}

const textIn = (element: XmlElement, ...names: string[]): string =>
  names.map((name) => element.text(name)).find((text) => text !== '') ?? '';

import { hash } from 'node:crypto';
import type { AttachedDocument } from '../../format-adapter.js';
import { compact } from '../../values/payload.js';
import type { Message } from '../message/message.js';
import type { Segment } from '../message/segment.js';
import { describeFields, fieldsOf } from './fields.js';

type Described = Record<string, unknown>;

/** TXA: the document. Its unique number links its notices; its parent's number links versions. */
const DOCUMENT_NOTICE = fieldsOf(
  'type=2 type_text=2.2t presentation=3 activity_at=4m originated_at=6m transcribed_at=7m edited_at=8m ' +
    'number=12|12.3 parent_number=13|13.3 placer_number=14 filler_number=15 file_name=16t completion_status=17 ' +
    'confidentiality=18 availability=19 title=25t',
);

/** What one OBX says of a document: a description, and the bytes if the message has them. */
interface Content {
  readonly described: Described;
  readonly bytes?: Buffer;
}

/**
 * Members of a document notice: TXA, and the content of its OBX by size, media type and hash.
 *
 * @returns the content for the vault
 */
export function describeNotice(
  notice: Segment,
  segments: readonly Segment[],
  message: Message,
  payload: Described,
): AttachedDocument[] {
  const content = contentOf(segments, message);
  payload['document'] = compact({
    ...describeFields(notice, DOCUMENT_NOTICE),
    content: content.map(({ described }) => described),
  });
  payload['relates_to'] = notice.value(13) || notice.value(13, 3);
  const title = notice.text(2, 2) || notice.value(2);
  payload['service'] = title;
  const pointer = segments.find((segment) => segment.id === 'OBX' && segment.value(2).toUpperCase() === 'RP');
  const cut = segments.find((segment) => segment.id === 'OBX' && message.mayBeCut(segment, VALUE_FIELD));
  const left = pointer ?? cut;
  if (left !== undefined && content.some(({ bytes }) => bytes === undefined)) {
    const words =
      pointer === undefined
        ? 'the content of the document may be cut: it is not in the vault'
        : 'the content of the document is elsewhere: the event has its pointer';
    message.warn('CONTENT_NOT_STORED', words, { segment: left, field: VALUE_FIELD });
  }
  const filename = notice.text(16);
  return content.flatMap(({ described, bytes }) =>
    bytes === undefined ? [] : [{ bytes, mediaType: String(described['media_type']), filename, title }],
  );
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['TX', 'FT', 'ST']);
/** The most embedded documents of one notice, and of the results of one event. */
const CONTENT_LIMIT = 50;
/** OBX-5, the value. */
const VALUE_FIELD = 5;

/** One entry an embedded document (ED) or pointer to one (RP), and one for all text: its lines, joined by LF. */
function contentOf(segments: readonly Segment[], message: Message): Content[] {
  const content: Content[] = [];
  const lines: string[] = [];
  for (const segment of segments) {
    if (segment.id !== 'OBX') continue;
    const type = segment.value(2).toUpperCase();
    if (TEXT_TYPES.has(type)) lines.push(...segment.repetitions(5, LINES_LIMIT).map((raw) => segment.plain(raw)));
    if (content.length >= CONTENT_LIMIT) continue;
    const set_id = segment.value(1);
    if (type === 'RP') {
      const reference = segment.value(5);
      const media_type = mediaType(segment.value(5, 3), segment.value(5, 4));
      if (reference !== '') content.push({ described: compact({ set_id, media_type, reference }) });
    } else if (type === 'ED') {
      for (const raw of segment.repetitions(5, CONTENT_LIMIT - content.length)) {
        const { described, bytes } = describeDocument(segment, raw);
        const { media_type, size_bytes, sha256 } = described;
        if (sha256 === undefined) continue;
        const entry = compact({ set_id, media_type, size_bytes, sha256 });
        content.push(message.mayBeCut(segment, VALUE_FIELD) ? { described: entry } : { described: entry, bytes });
      }
    }
  }
  const bytes = Buffer.from(lines.join('\n'), 'utf8');
  if (bytes.length === 0) return content;
  const sha256 = hash('sha256', bytes, 'hex');
  return [...content, { described: { media_type: 'text/plain', size_bytes: bytes.length, sha256 }, bytes }];
}

const LINES_LIMIT = 10_000;

/** The documents of the results of one event, on their way to the vault. */
export class ResultDocuments {
  readonly taken: AttachedDocument[] = [];
  /** The first segment with content that is elsewhere, may be cut, or is beyond the limit. */
  #left: Segment | undefined;
  readonly #message: Message;

  constructor(message: Message) {
    this.#message = message;
  }

  /** Describes an embedded document (ED) and takes its bytes. */
  embedded(segment: Segment, raw: string): Described {
    const { described, bytes } = describeDocument(segment, raw);
    if (bytes.length === 0) return described;
    const mayBeCut = this.#message.mayBeCut(segment, VALUE_FIELD);
    if (mayBeCut || this.taken.length >= CONTENT_LIMIT) this.#left ??= segment;
    else {
      const title = segment.text(3, 2) || segment.value(3);
      this.taken.push({ bytes, mediaType: String(described['media_type']), filename: '', title });
    }
    return described;
  }

  /** Describes a pointer (RP) to content elsewhere. */
  pointer(segment: Segment, raw: string): Described {
    this.#left ??= segment;
    const media_type = mediaType(segment.valueOf(raw, 3), segment.valueOf(raw, 4));
    return compact({ media_type, reference: segment.valueOf(raw, 1) });
  }

  /** Warns if the vault does not get all of the content. */
  finish(): void {
    if (this.#left === undefined) return;
    const words = 'the vault does not get a document of a result: it is elsewhere, may be cut, or is beyond the limit';
    this.#message.warn('CONTENT_NOT_STORED', words, { segment: this.#left, field: VALUE_FIELD });
  }
}

/** ED: an embedded document as media type, hash and size. */
function describeDocument(segment: Segment, raw: string): { described: Described; bytes: Buffer } {
  const encoding = segment.valueOf(raw, 4);
  const bytes = embedded(segment, raw);
  const [type, subtype] = [segment.valueOf(raw, 2), segment.valueOf(raw, 3)];
  const described = compact({
    source: segment.valueOf(raw, 1),
    type,
    subtype,
    encoding,
    ...(bytes.length > 0 && {
      media_type: mediaType(type, subtype),
      sha256: hash('sha256', bytes, 'hex'),
      size_bytes: bytes.length,
    }),
  });
  return { described, bytes };
}

/** The bytes of an ED by its encoding (table 0299): A is text as it is. */
function embedded(segment: Segment, raw: string): Buffer {
  const data = segment.textOf(raw, 5);
  const encoding = segment.valueOf(raw, 4).toUpperCase();
  if (encoding === 'BASE64') return Buffer.from(data, 'base64');
  if (encoding === 'HEX') return Buffer.from(data, 'hex');
  return Buffer.from(data, 'utf8');
}

/** Table 0191, and the media types that senders write instead. */
const MAIN_TYPES: Readonly<Record<string, string | undefined>> = {
  AU: 'audio',
  AUDIO: 'audio',
  IM: 'image',
  IMAGE: 'image',
  NS: 'image',
  SI: 'image',
  TX: 'text',
  TEXT: 'text',
  FT: 'text',
  VIDEO: 'video',
  MULTIPART: 'multipart',
};
/** Subtypes of table 0291 that belong to one main type, whatever the sender writes before them. */
const WHOLE_TYPES: Readonly<Record<string, string | undefined>> = {
  PDF: 'application/pdf',
  RTF: 'application/rtf',
  DICOM: 'application/dicom',
  HTML: 'text/html',
  JPEG: 'image/jpeg',
  JPG: 'image/jpeg',
  GIF: 'image/gif',
  PNG: 'image/png',
  TIFF: 'image/tiff',
};

/** ED-2 and ED-3, RP-3 and RP-4, as a media type. */
function mediaType(type: string, subtype: string): string {
  const whole = WHOLE_TYPES[subtype.toUpperCase()];
  if (whole !== undefined) return whole;
  if (/^[a-z]+\/[a-z0-9.+-]+$/i.test(type)) return type.toLowerCase();
  const main = MAIN_TYPES[type.toUpperCase()] ?? 'application';
  if (/^[a-z0-9][a-z0-9.+-]*$/i.test(subtype)) return `${main}/${subtype.toLowerCase()}`;
  return main === 'text' ? 'text/plain' : 'application/octet-stream';
}

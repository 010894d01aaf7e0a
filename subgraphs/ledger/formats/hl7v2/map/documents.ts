import { hash } from 'node:crypto';
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

/** The members of a document notice: TXA, and the content of its OBX by size, media type and hash. */
export function describeNotice(
  notice: Segment,
  segments: readonly Segment[],
  message: Message,
  payload: Described,
): void {
  const content = describeContent(segments);
  payload['document'] = compact({ ...describeFields(notice, DOCUMENT_NOTICE), content });
  payload['relates_to'] = notice.value(13) || notice.value(13, 3);
  payload['service'] = notice.text(2, 2) || notice.value(2);
  if (content.length === 0) return;
  const first = segments.find(({ id }) => id === 'OBX');
  message.warn(
    'CONTENT_NOT_STORED',
    'the content of the document is only in the raw message: the event has its size, media type and hash',
    first === undefined ? {} : { segment: first, field: 5 },
  );
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['TX', 'FT', 'ST']);
/** The most embedded documents of one notice. */
const CONTENT_LIMIT = 50;

/** One entry an embedded document (ED) or pointer to one (RP), and one for all text: its lines, joined by LF. */
function describeContent(segments: readonly Segment[]): Described[] {
  const content: Described[] = [];
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
      if (reference !== '') content.push(compact({ set_id, media_type, reference }));
    } else if (type === 'ED') {
      for (const raw of segment.repetitions(5, CONTENT_LIMIT - content.length)) {
        const { media_type, size_bytes, sha256 } = describeDocument(segment, raw);
        if (sha256 !== undefined) content.push(compact({ set_id, media_type, size_bytes, sha256 }));
      }
    }
  }
  const text = Buffer.from(lines.join('\n'), 'utf8');
  if (text.length === 0) return content;
  const sha256 = hash('sha256', text, 'hex');
  return [...content, { media_type: 'text/plain', size_bytes: text.length, sha256 }];
}

const LINES_LIMIT = 10_000;

/** ED: an embedded document as media type, hash and size; its bytes stay in the raw message. */
export function describeDocument(segment: Segment, raw: string): Described {
  const encoding = segment.valueOf(raw, 4);
  const bytes = bytesOf(segment.textOf(raw, 5), encoding.toUpperCase());
  const [type, subtype] = [segment.valueOf(raw, 2), segment.valueOf(raw, 3)];
  return compact({
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
}

/** Table 0299: A is text as it is. */
function bytesOf(data: string, encoding: string): Buffer {
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

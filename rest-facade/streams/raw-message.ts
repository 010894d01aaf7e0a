import { z } from 'zod';
import { problem } from '../../shared/errors/problem.js';
import type { Validator } from '../../shared/graph/validator.js';
import { isJsonObject, type JsonValue, parseStrictJson } from '../../shared/json/strict-json.js';
import type { RawContent, RouteServices } from '../route.js';
import { type EbcdicPage, fromEbcdic } from './ebcdic.js';
import {
  collected,
  isRawMediaType,
  JSON_MEDIA_TYPE,
  mediaTypeOf,
  nonEmpty,
  RAW_MEDIA_TYPES,
  refuseAnnounced,
} from './raw-content.js';
import { isRawForm, RAW_FORM_MEDIA_TYPES, rawFormOf } from './raw-form.js';
import { unpacked } from './unpack.js';

/** A posted message: its bytes, and the sender's statements about them. */
export interface RawMessage {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  /** The code page of a body in EBCDIC, known once its first bytes were read. */
  readonly convertedFrom?: () => EbcdicPage | undefined;
  /** Returns the sender's statements; known once `bytes` was read to its end. */
  readonly stated: () => Statements;
  /** Identifies a form under an Idempotency-Key; known as `stated` is. Other bodies are identified by their bytes. */
  readonly digest?: () => string;
}

/** The sender's statements about a message. */
export interface Statements {
  readonly contentType: string | undefined;
  readonly format?: string;
  readonly sourceSystem?: string;
  readonly strict?: boolean;
  readonly tenantId?: string;
}

// Base64 adds a third; escapes and the other members get the rest.
const wrapperBytes = (contentBytes: number): number => Math.ceil((contentBytes * 4) / 3) + 65_536;

/** @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, MALFORMED_BODY, VALIDATION_ERROR; nothing is stored then. */
export async function rawMessageOf(
  content: RawContent | undefined,
  limits: RouteServices['limits'],
  faults: { readonly wrapper: Validator; readonly fields: Validator },
): Promise<RawMessage> {
  if (!content) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
  const mediaType = mediaTypeOf(content.contentType);
  if (mediaType === JSON_MEDIA_TYPE) return fromJson(content, limits, faults.wrapper);
  if (isRawForm(content.contentType)) return rawFormOf(content, limits, faults.fields);
  if (!isRawMediaType(mediaType)) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', {
      message: `Send ${RAW_MEDIA_TYPES.join(', ')}, ${RAW_FORM_MEDIA_TYPES.join(', ')}, or the JSON wrapper as ${JSON_MEDIA_TYPE}.`,
    });
  }
  refuseAnnounced(content, limits.rawBytes);
  const { isGzip } = content;
  let page: EbcdicPage | undefined;
  const whole = unpacked(nonEmpty(content), { isGzip, maxBytes: limits.rawBytes });
  const bytes = fromEbcdic(whole, (found) => {
    page = found;
  });
  const { contentType } = content;
  return { bytes, maxBytes: limits.rawBytes, convertedFrom: () => page, stated: () => ({ contentType }) };
}

/** Members that FHIR resources and messages of CDS Hooks have, and the wrapper never. */
const MESSAGE_MEMBERS = ['resourceType', 'hookInstance', 'cards', 'feedback'] as const;

const isMessage = (value: JsonValue): boolean =>
  isJsonObject(value) && MESSAGE_MEMBERS.some((name) => Object.hasOwn(value, name));

const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const withoutMark = (body: Buffer): Buffer => (body.indexOf(BYTE_ORDER_MARK) === 0 ? body.subarray(3) : body);

/** True for several messages, one a line (NDJSON): the first line is one, and other bytes follow. */
function holdsLines(body: Buffer): boolean {
  const end = body.indexOf(LINE_FEED);
  if (end === -1 || body.subarray(end).toString('latin1').trim() === '') return false;
  try {
    return isMessage(parseStrictJson(body.subarray(0, end)));
  } catch {
    return false;
  }
}

/** Distinguishes FHIR resources and CDS Hooks messages, also one a line, from the wrapper; their bytes are stored unchanged. */
async function fromJson(
  content: RawContent,
  limits: RouteServices['limits'],
  wrapperFaults: Validator,
): Promise<RawMessage> {
  const maxBytes = wrapperBytes(limits.rawJsonBytes);
  refuseAnnounced(content, maxBytes);
  const body = await collected(content, maxBytes, unpacked(nonEmpty(content), { isGzip: content.isGzip, maxBytes }));
  const text = withoutMark(body);
  const { contentType } = content;
  const message = { bytes: once(body), maxBytes: limits.rawJsonBytes, stated: () => ({ contentType }) };
  if (holdsLines(text)) return message;
  const value = parseStrictJson(text);
  if (isMessage(value)) return message;
  const errors = wrapperFaults(value);
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  const wrapper = Wrapper.parse(value);
  const bytes = wrapper.content === undefined ? decoded(wrapper.content_base64 ?? '') : Buffer.from(wrapper.content);
  const stated: Statements = {
    contentType: undefined,
    ...(wrapper.format === undefined ? {} : { format: wrapper.format }),
    ...(wrapper.source_system === undefined ? {} : { sourceSystem: wrapper.source_system }),
    ...(wrapper.strict === undefined ? {} : { strict: wrapper.strict }),
    ...(wrapper.tenant_id === undefined ? {} : { tenantId: wrapper.tenant_id }),
  };
  return { bytes: once(bytes), maxBytes: limits.rawJsonBytes, stated: () => stated };
}

/** The wrapper as its JSON Schema has checked it. */
const Wrapper = z.object({
  format: z.string().optional(),
  content: z.string().optional(),
  content_base64: z.string().optional(),
  source_system: z.string().optional(),
  strict: z.boolean().optional(),
  tenant_id: z.string().optional(),
});

/** Rejects a text that is not well-formed base64, which Node would skip over. */
function decoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (text.length % 4 !== 0 || bytes.toString('base64') !== text) {
    throw problem('VALIDATION_ERROR', {
      errors: [{ path: '/content_base64', code: 'base64', message: 'Not well-formed base64 (RFC 4648 section 4).' }],
    });
  }
  return bytes;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

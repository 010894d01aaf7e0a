import { z } from 'zod';
import { problem } from '../../shared/errors/problem.js';
import type { JsonSchema } from '../../shared/graph/json-schema.js';
import type { Validator } from '../../shared/graph/validator.js';
import { isJsonObject, parseStrictJson } from '../../shared/json/strict-json.js';
import type { RawContent, RouteServices } from '../route.js';
import {
  collected,
  isRawMediaType,
  JSON_MEDIA_TYPE,
  mediaTypeOf,
  nonEmpty,
  RAW_MEDIA_TYPES,
  refuseAnnounced,
} from './raw-content.js';
import { unpacked } from './unpack.js';

/** A posted message: its bytes, and the sender's statements about them. */
export interface RawMessage {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  readonly contentType: string | undefined;
  readonly format?: string;
  readonly sourceSystem?: string;
  readonly strict?: boolean;
  readonly tenantId?: string;
}

/** The JSON wrapper of a raw message; `tenant_id` may repeat the request's. */
export const WRAPPER_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    format: { type: 'string', description: 'x12, hl7v2, fhir or ncpdp, in any case.', examples: ['x12'] },
    content: { type: 'string', minLength: 1, description: 'The message as text.' },
    content_base64: {
      type: 'string',
      minLength: 1,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'The same in base64.',
    },
    source_system: { type: 'string', minLength: 1, maxLength: 128, examples: ['clearinghouse-a'] },
    strict: { type: 'boolean' },
    tenant_id: { type: 'string' },
  },
  oneOf: [{ required: ['content'] }, { required: ['content_base64'] }],
  additionalProperties: false,
};

// Base64 adds a third; escapes and the other members get the rest.
const wrapperBytes = (contentBytes: number): number => Math.ceil((contentBytes * 4) / 3) + 65_536;

/** @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, MALFORMED_BODY, VALIDATION_ERROR; nothing is stored then. */
export async function rawMessageOf(
  content: RawContent | undefined,
  limits: RouteServices['limits'],
  wrapperFaults: Validator,
): Promise<RawMessage> {
  if (!content) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
  const mediaType = mediaTypeOf(content.contentType);
  if (mediaType === JSON_MEDIA_TYPE) return fromJson(content, limits, wrapperFaults);
  if (!isRawMediaType(mediaType)) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', {
      message: `Send ${RAW_MEDIA_TYPES.join(', ')}, or the JSON wrapper as ${JSON_MEDIA_TYPE}.`,
    });
  }
  refuseAnnounced(content, limits.rawBytes);
  const { isGzip } = content;
  const bytes = unpacked(nonEmpty(content), { isGzip, maxBytes: limits.rawBytes });
  return { bytes, maxBytes: limits.rawBytes, contentType: content.contentType };
}

/** Distinguishes a bare FHIR resource from the wrapper by `resourceType`; its bytes are stored unchanged. */
async function fromJson(
  content: RawContent,
  limits: RouteServices['limits'],
  wrapperFaults: Validator,
): Promise<RawMessage> {
  const maxBytes = wrapperBytes(limits.rawJsonBytes);
  refuseAnnounced(content, maxBytes);
  const body = await collected(content, maxBytes, unpacked(nonEmpty(content), { isGzip: content.isGzip, maxBytes }));
  const value = parseStrictJson(body);
  if (isJsonObject(value) && Object.hasOwn(value, 'resourceType')) {
    return { bytes: once(body), maxBytes: limits.rawJsonBytes, contentType: content.contentType };
  }
  const errors = wrapperFaults(value);
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  const wrapper = Wrapper.parse(value);
  const bytes = wrapper.content === undefined ? decoded(wrapper.content_base64 ?? '') : Buffer.from(wrapper.content);
  return {
    bytes: once(bytes),
    maxBytes: limits.rawJsonBytes,
    contentType: undefined,
    ...(wrapper.format === undefined ? {} : { format: wrapper.format }),
    ...(wrapper.source_system === undefined ? {} : { sourceSystem: wrapper.source_system }),
    ...(wrapper.strict === undefined ? {} : { strict: wrapper.strict }),
    ...(wrapper.tenant_id === undefined ? {} : { tenantId: wrapper.tenant_id }),
  };
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

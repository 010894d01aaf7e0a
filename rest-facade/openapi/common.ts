import { ERROR_CODES, ERROR_REGISTRY } from '../../shared/errors/registry.js';
import type { JsonSchema } from '../../shared/graph/json-schema.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';
import { problemType } from '../plugins/errors.js';

/** A ULID (Crockford's 32 letters, 128 bits) or a UUID, in either case. */
const IDEMPOTENCY_KEY_PATTERN =
  '^([0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$';

/** The Error object of every status; its codes come from the registry. */
export function errorSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'The error object of every status.',
    properties: {
      code: { type: 'string', enum: [...ERROR_CODES], description: 'The error code, for programs.' },
      message: { type: 'string', description: 'The error, as a sentence.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      request_id: { type: 'string', description: 'Name it when you ask for support.' },
      errors: {
        type: 'array',
        description: 'Each fault with its path.',
        items: { $ref: '#/components/schemas/FieldFault' },
      },
      type: { type: 'string', description: 'RFC 9457 type; names the code.' },
      title: { type: 'string', description: 'RFC 9457 title.' },
    },
    required: ['code', 'message', 'status', 'request_id', 'type', 'title'],
  };
}

export const COMMON_HEADERS: JsonObject = {
  'X-Request-Id': { description: "The request's identifier.", schema: { type: 'string' } },
};

const whole = (description: string): JsonObject => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of every answer to a key, of an error too (api.md section 1 "Rate limit"). */
export const RATE_LIMIT_HEADERS: JsonObject = {
  'RateLimit-Limit': whole('Requests per minute allowed for the tenant.'),
  'RateLimit-Remaining': whole('Requests left now.'),
  'RateLimit-Reset': whole('Seconds until the limit is full again.'),
};

export const REPLAYED_HEADER: JsonObject = {
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored answer to the first request with this Idempotency-Key; `recomputed` if a record of it was ' +
      'redacted or disposed of since.',
    schema: { type: 'string', enum: ['true', 'recomputed'] },
  },
};

export const ENTITY_TAG_HEADER: JsonObject = {
  ETag: { description: 'Tag of exactly this answer, for If-None-Match.', schema: { type: 'string' } },
};

export const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier answer: 304 if nothing has changed.',
  schema: { type: 'string' },
};

export const RANGE: JsonObject = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'One range of bytes, such as `bytes=0-1023`; a request for several ranges gets the whole.',
  schema: { type: 'string' },
};

export const IF_RANGE: JsonObject = {
  name: 'If-Range',
  in: 'header',
  required: false,
  description: 'The ETag of the bytes that the client has; a different ETag gets the whole.',
  schema: { type: 'string' },
};

/** Specification, "Common parameters": a ULID; a UUID is accepted too. */
export const IDEMPOTENCY_PARAMETER: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A ULID or a UUID. The work is done at most once; a repeated request gets the first answer.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
};

/** Parameters that every keyed route takes (specification, "Common parameters"). */
export const COMMON_PARAMETERS: JsonObject[] = [
  {
    name: 'X-Tenant-Id',
    in: 'header',
    required: false,
    description: "The tenant. Without it, a tenant's key uses its own tenant.",
    schema: { type: 'string' },
  },
  {
    name: 'tenant_id',
    in: 'query',
    required: false,
    description: 'Alternative to the X-Tenant-Id header; both must agree.',
    schema: { type: 'string' },
  },
  {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Used as the request id if it is well-formed.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
];

export const securitySchemes = (): JsonObject => ({
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  Bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a bearer token.' },
});

const RETRY_AFTER: JsonObject = { 'Retry-After': whole('Seconds to wait before a retry.') };
/** Headers of an error answer by status, in addition to the common ones. */
const HEADERS_BY_STATUS: Readonly<Record<number, JsonObject>> = {
  401: { 'WWW-Authenticate': { description: 'The authentication scheme for keys.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } } },
  409: RETRY_AFTER,
  429: { ...RETRY_AFTER, ...RATE_LIMIT_HEADERS },
  503: RETRY_AFTER,
};

/** One response a status, with an example of each code that has it. */
export function errorResponses(): JsonObject {
  const byStatus = new Map<number, (typeof ERROR_CODES)[number][]>();
  for (const code of ERROR_CODES) {
    const { status } = ERROR_REGISTRY[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, codes]) => {
    const schema = { $ref: '#/components/schemas/Error' };
    const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
    const content = { schema, examples };
    return [
      `Error${status}`,
      {
        description: codes.map((code) => ERROR_REGISTRY[code].title).join(', '),
        headers: { ...COMMON_HEADERS, ...HEADERS_BY_STATUS[status] },
        content: { 'application/json': content, 'application/problem+json': content },
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

const exampleOf = (code: (typeof ERROR_CODES)[number]): JsonValue => ({
  code,
  message: ERROR_REGISTRY[code].publicText,
  status: ERROR_REGISTRY[code].status,
  request_id: 'req_01JQ0000000000000000000001',
  type: problemType(code),
  title: ERROR_REGISTRY[code].title,
});

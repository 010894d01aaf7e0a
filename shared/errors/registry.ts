import { keysOf } from '../json/keys.js';

// The one registry of error codes (api.md section 1 "Everywhere"). REST answers, the OpenAPI enum, the graph's
// extensions and docs/errors.md follow from this table.

export interface ErrorEntry {
  readonly status: number;
  /** Short public title, RFC 9457 `title`. */
  readonly title: string;
  /** Public text used when the thrower gives none: never personal or internal. */
  readonly publicText: string;
}

const entry = (status: number, title: string, publicText: string): ErrorEntry => ({ status, title, publicText });

export const ERROR_REGISTRY = {
  VALIDATION_ERROR: entry(400, 'Validation error', 'The request does not fit its schema; see errors.'),
  MALFORMED_BODY: entry(
    400,
    'Malformed body',
    'The body is not readable as its Content-Type; check its syntax and encoding.',
  ),
  TENANT_REQUIRED: entry(
    400,
    'Tenant required',
    'This key serves several tenants: name one in X-Tenant-Id or tenant_id.',
  ),
  UNAUTHENTICATED: entry(401, 'Unauthenticated', 'Send a valid API key in Authorization: Bearer.'),
  STEP_UP_REQUIRED: entry(403, 'Sign in again', 'A session may do this only soon after its sign-in.'),
  FORBIDDEN: entry(403, 'Forbidden', 'This key lacks the scope that the route requires.'),
  TENANT_MISMATCH: entry(403, 'Tenant mismatch', 'This key belongs to another tenant.'),
  TENANT_SUSPENDED: entry(403, 'Tenant suspended', 'This tenant is suspended.'),
  NOT_FOUND: entry(404, 'Not found', 'No record has this identifier.'),
  METHOD_NOT_ALLOWED: entry(405, 'Method not allowed', 'This path does not support the method; see Allow.'),
  CONFLICT: entry(409, 'Conflict', 'The state of the record does not allow this; read it again.'),
  NOT_SEALED: entry(409, 'Not sealed', 'The bundle is not sealed yet.'),
  QUARANTINED: entry(409, 'Quarantined', 'The document is quarantined.'),
  LEGAL_HOLD_ACTIVE: entry(409, 'Legal hold active', 'An active legal hold forbids this; release it first.'),
  INVALID_TRANSITION: entry(409, 'Invalid transition', 'The current state of the record does not allow this action.'),
  SCOPE_MISMATCH: entry(409, 'Scope mismatch', 'The two bundles do not cover the same scope.'),
  IDEMPOTENCY_IN_PROGRESS: entry(409, 'In progress', 'The first request with this Idempotency-Key is still running.'),
  DOCUMENT_REJECTED: entry(409, 'Document rejected', 'The document was rejected in review.'),
  DISPOSED: entry(410, 'Disposed', 'The content was disposed of under a retention policy.'),
  PAYLOAD_TOO_LARGE: entry(413, 'Payload too large', 'The body exceeds the size limit.'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'Unsupported media type', 'This route does not accept the Content-Type.'),
  RANGE_NOT_SATISFIABLE: entry(416, 'Range not satisfiable', 'The requested range is outside the content.'),
  IDEMPOTENCY_KEY_REUSED: entry(
    422,
    'Idempotency key reused',
    'Another request has used this Idempotency-Key; send a new key.',
  ),
  RATE_LIMITED: entry(429, 'Rate limited', 'The rate limit of this tenant is exceeded; wait for Retry-After.'),
  INTERNAL: entry(500, 'Internal error', 'The service failed; retry later.'),
  INTEGRITY_FAILURE: entry(500, 'Integrity failure', 'Stored content does not match its hash.'),
  UNAVAILABLE: entry(503, 'Unavailable', 'The service is temporarily unavailable; retry later.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_REGISTRY;

export const ERROR_CODES = keysOf(ERROR_REGISTRY);

export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(ERROR_REGISTRY, value);

/** Why there was no answer: a closed list, so that a delivery's log tells a receiver's owner and no secret of the network. */
const SEND_FAILURES = ['timeout', 'dns', 'address_refused', 'connect', 'tls', 'closed', 'protocol', 'aborted'] as const;
export type SendFailure = (typeof SEND_FAILURES)[number];

const CONNECT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM']);
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);
const DNS = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'ETIMEOUT',
  'ESERVFAIL',
  'EREFUSED',
  'EBADNAME',
  'EBADRESP',
  'ECANCELLED',
]);
const TIMEOUT = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
/** Codes of node:tls and OpenSSL: `CERT_HAS_EXPIRED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, `ERR_TLS_…`, `ERR_SSL_…`. */
const TLS = /CERT|^ERR_TLS|^ERR_SSL|^UNABLE_TO_|^EPROTO$|_SIGNATURE_/;

/** Classifies by code alone: texts name addresses. */
export function sendFailureOf(error: unknown): SendFailure {
  for (const code of codesOf(error)) {
    if (code === 'ADDRESS_REFUSED') return 'address_refused';
    if (TLS.test(code)) return 'tls';
    if (DNS.has(code)) return 'dns';
    if (TIMEOUT.has(code)) return 'timeout';
    if (CONNECT.has(code)) return 'connect';
    if (CLOSED.has(code)) return 'closed';
  }
  return 'protocol';
}

/** Its own code, those of what it was made of (an attempt for each address), and its cause's. */
function codesOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, errors, cause }: { readonly code?: unknown; readonly errors?: unknown; readonly cause?: unknown } =
    error;
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner, ...(cause ? codesOf(cause) : [])];
}

import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { fault, problem } from '../../shared/errors/problem.js';
import type { IdempotentRequest, Outcome, RunWork, StreamedBody } from '../../shared/idempotency/idempotency.js';
import { readIdempotencyKey } from '../../shared/idempotency/request-key.js';
import { ANY_TENANT } from '../../shared/ids/tenant.js';
import { objectOf } from '../object-of.js';
import type { ContentDigest, RawContent, Route } from '../route.js';
import { mediaTypeOf } from '../streams/raw-content.js';
import type { Identity } from './identity.js';

/** The part of shared/idempotency that the facade uses. */
export interface RunsOnce {
  run(request: IdempotentRequest, work: RunWork): Promise<Outcome>;
}

/** Returns the Idempotency-Key of a POST request, if there is one. @throws VALIDATION_ERROR */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const sent = request.headers['idempotency-key'];
  if (sent === undefined || request.method !== 'POST') return undefined;
  const key = typeof sent === 'string' ? readIdempotencyKey(sent) : null;
  if (key !== null) return key;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/Idempotency-Key', 'format', 'Must be a ULID or a UUID.')],
  });
}

interface KeyedRequest {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly identity: Identity;
  readonly key: string;
  /** Of a JSON body. */
  readonly bytes: Buffer | undefined;
  readonly streamed: StreamedBody | null;
}

export const idempotentRequest = ({ route, request, identity, key, bytes, streamed }: KeyedRequest) => ({
  id: { tenant_id: identity.tenant?.tenant_id ?? ANY_TENANT, key_id: identity.principal.keyId, key },
  fingerprint: fingerprintOf(request, bytes, contentDigestOf(route, request) !== undefined),
  body: streamed,
  secret: route.secretAnswer === true,
});

/** The digest of a body that is compared by its content, not by its bytes. */
export const contentDigestOf = ({ body }: Route, request: FastifyRequest): ContentDigest | undefined =>
  body?.kind === 'stream' ? body.digestOf?.(request.headers['content-type'] ?? '') : undefined;

/** Not compared: the id of the claim contains the tenant. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['tenant_id']);

/**
 * SHA-256 over method, path, query, media type and the bytes of the body: a repeat must be the same request, not an
 * equivalent one.
 */
function fingerprintOf(request: FastifyRequest, bytes: Buffer | undefined, isForm: boolean): string {
  const [path] = request.url.split('?');
  const query = Object.entries(objectOf(request.query))
    .filter(([name]) => !NOT_COMPARED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const sent = request.headers['content-type'] ?? '';
  // A repeated form has another boundary.
  const type = isForm ? mediaTypeOf(sent) : sent;
  const head = JSON.stringify([request.method, path, query, type]);
  const digest = createHash('sha256').update(head);
  return (bytes === undefined ? digest : digest.update('\0').update(bytes)).digest('hex');
}

/** A streamed body that is compared by its content, not by its bytes (api.md section 1: forms). */
export function digestedContent(
  content: RawContent,
  digest: (content: RawContent) => Promise<string>,
): { readonly content: RawContent; readonly streamed: StreamedBody } {
  let reported: string | null = null;
  const reportDigest = (found: string): void => {
    reported = found;
  };
  return { content: { ...content, reportDigest }, streamed: { sha256: () => reported, drain: () => digest(content) } };
}

/** Hashes a streamed body while the handler reads it. */
export function hashedContent(content: RawContent): { readonly content: RawContent; readonly streamed: StreamedBody } {
  const digest = createHash('sha256');
  let sha256: string | null = null;
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      digest.update(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      sha256 = digest.digest('hex');
      done();
    },
  });
  // If the sender disconnects, the reader of the copy fails; no other handling is needed.
  pipeline(content.stream, stream, () => undefined);
  return {
    content: { ...content, stream },
    streamed: { sha256: () => sha256, drain: () => drained(stream, () => sha256) },
  };
}

async function drained(stream: Readable, sha256: () => string | null): Promise<string> {
  try {
    // Read to the end for its hash.
    for await (const _ of stream);
  } catch (cause) {
    throw problem('MALFORMED_BODY', { message: 'The body ended early.', cause });
  }
  return sha256() ?? '';
}

/** The content of a request with a streamed, empty body. */
export const NO_CONTENT: StreamedBody = {
  sha256: () => EMPTY_SHA256,
  drain: async () => EMPTY_SHA256,
};
const EMPTY_SHA256 = createHash('sha256').digest('hex');

import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { fault, problem } from '../../shared/errors/problem.js';
import type { IdempotentRequest, Outcome, RunWork, StreamedBody } from '../../shared/idempotency/idempotency.js';
import { readIdempotencyKey } from '../../shared/idempotency/request-key.js';
import { ANY_TENANT } from '../../shared/ids/tenant.js';
import type { RawContent, Route } from '../route.js';
import { mediaTypeOf } from '../streams/raw-content.js';
import type { Identity } from './identity.js';

/** What the facade asks of shared/idempotency. */
export interface RunsOnce {
  run(request: IdempotentRequest, work: RunWork): Promise<Outcome>;
}

/** The request's key; undefined where it has none, and on methods other than POST. @throws VALIDATION_ERROR */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const sent = request.headers['idempotency-key'];
  if (sent === undefined || request.method !== 'POST') return undefined;
  const key = typeof sent === 'string' ? readIdempotencyKey(sent) : null;
  if (key !== null) return key;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/Idempotency-Key', 'format', 'Must be a ULID or a UUID.')],
  });
}

export interface KeyedRequest {
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
  fingerprint: fingerprintOf(request, bytes, route.body?.kind === 'stream' && route.body.digest !== undefined),
  body: streamed,
  secret: route.secretAnswer === true,
});

/** The tenant stands in the claim's id, however the request names it. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['tenant_id']);

/**
 * SHA-256 over method, path, query, media type and the bytes of the body as they were sent: a repeat is the same request,
 * not one that means the same.
 */
function fingerprintOf(request: FastifyRequest, bytes: Buffer | undefined, isForm: boolean): string {
  const [path] = request.url.split('?');
  const query = Object.entries(request.query as Readonly<Record<string, unknown>>)
    .filter(([name]) => !NOT_COMPARED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const sent = request.headers['content-type'] ?? '';
  // A form that is built anew has another boundary.
  const type = isForm ? mediaTypeOf(sent) : sent;
  const head = JSON.stringify([request.method, path, query, type]);
  const digest = createHash('sha256').update(head);
  return (bytes === undefined ? digest : digest.update('\0').update(bytes)).digest('hex');
}

/** A streamed body that is compared by what it says and not by its bytes (api.md section 1: forms). */
export function digestedContent(
  content: RawContent,
  digest: (content: RawContent) => Promise<string>,
): { readonly content: RawContent; readonly streamed: StreamedBody } {
  let told: string | null = null;
  const tell = (said: string): void => {
    told = said;
  };
  return { content: { ...content, tell }, streamed: { sha256: () => told, drain: () => digest(content) } };
}

/** A streamed body on its way to the handler, hashed as it passes. */
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
  // A sender that goes away fails the reader of the copy; there is nobody else to tell.
  pipeline(content.stream, stream, () => undefined);
  return {
    content: { ...content, stream },
    streamed: { sha256: () => sha256, drain: () => drained(stream, () => sha256) },
  };
}

async function drained(stream: Readable, sha256: () => string | null): Promise<string> {
  try {
    // Read and let go; the hash is taken on the way.
    for await (const _ of stream);
  } catch (cause) {
    throw problem('MALFORMED_BODY', { message: 'The body ended early.', cause });
  }
  return sha256() ?? '';
}

/** A request whose body is streamed and empty. */
export const NO_CONTENT: StreamedBody = {
  sha256: () => EMPTY_SHA256,
  drain: async () => EMPTY_SHA256,
};
const EMPTY_SHA256 = createHash('sha256').digest('hex');

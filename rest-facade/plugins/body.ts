import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../../shared/errors/problem.js';
import { parseStrictJson } from '../../shared/json/strict-json.js';
import type { JsonBody } from '../route.js';

/** Limit of bodies on routes without another one. */
export const DEFAULT_BODY_BYTES = 1_048_576;

/**
 * Accepts JSON bodies as bytes, for the strict parser. Fastify rejects other types with 415. Nothing is coerced or stripped,
 * so that hashes cover the bytes as sent.
 */
export function takeJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** Accepts every body as a stream; the route checks the type. */
export function takeStreams(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

export const isGzip = ({ headers }: FastifyRequest): boolean =>
  /^(?:x-)?gzip$/i.test(headers['content-encoding']?.trim() ?? '');

/** Rejects other charsets than UTF-8 (RFC 8259 section 8.1), and compressed bodies but gzip on a route that takes it. */
export function refuseEncodings(request: FastifyRequest, takesGzip = false): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity' && !(takesGzip && isGzip(request))) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without Content-Encoding.' });
  }
  const type = request.headers['content-type'];
  const charset = type === undefined ? undefined : /;\s*charset="?([^";\s]+)/i.exec(type)?.[1];
  const isJson = type?.toLowerCase().startsWith('application/json') === true;
  if (isJson && charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: 'Send JSON in UTF-8.' });
  }
}

/** The bytes of a JSON body. */
export const jsonBytesOf = (request: FastifyRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

/** @throws MALFORMED_BODY for an empty body or broken JSON. */
export function parsedBody(bytes: Buffer): JsonBody {
  if (bytes.length === 0) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
  return { bytes, value: parseStrictJson(bytes) };
}

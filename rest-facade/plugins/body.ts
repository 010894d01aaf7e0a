import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../../shared/errors/problem.js';
import { parseStrictJson } from '../../shared/json/strict-json.js';
import type { JsonBody } from '../route.js';

/** Bodies of routes that say nothing else. */
export const DEFAULT_BODY_BYTES = 1_048_576;

/**
 * JSON bodies arrive as bytes and are parsed by our own parser; no other type has a parser, so the server refuses it with
 * 415. Nothing is coerced and nothing stripped: what is hashed is what was sent.
 */
export function takeJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** Every body as the stream it comes in, whatever its type; the route judges the type. */
export function takeStreams(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** JSON is UTF-8 (RFC 8259 section 8.1), and bodies are taken as they are: no other charset, no compression. */
export function refuseEncodings(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without Content-Encoding.' });
  }
  const type = request.headers['content-type'];
  const charset = type === undefined ? undefined : /;\s*charset="?([^";\s]+)/i.exec(type)?.[1];
  const isJson = type?.toLowerCase().startsWith('application/json') === true;
  if (isJson && charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', { message: 'JSON is taken in UTF-8.' });
  }
}

/** The bytes of a JSON body; none where it is empty. */
export const jsonBytesOf = (request: FastifyRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

/** @throws MALFORMED_BODY for an empty body or broken JSON. */
export function parsedBody(bytes: Buffer): JsonBody {
  if (bytes.length === 0) throw problem('MALFORMED_BODY', { message: 'The body is empty.' });
  return { bytes, value: parseStrictJson(bytes) };
}

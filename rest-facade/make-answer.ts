import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FirstAnswer } from '../shared/idempotency/first-answer.js';
import type { Outcome } from '../shared/idempotency/idempotency.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { entityTagOf, isTagged, matchesEntityTag } from './entity-tag.js';
import { errorAnswer, errorType, JSON_TYPE } from './plugins/errors.js';
import { Answer, type OtherForm, type Route } from './route.js';
import { StreamedAnswer, sendStreamed } from './streams/streamed-answer.js';

/** What a handler gives: an Answer (whose body may be bytes), a StreamedAnswer, or the body of a 200. */
export type Made = unknown;

/** Personal data may be in any keyed answer: no cache keeps one, and a copy of the client's own is its own to keep. */
const PRIVATE = 'private, no-store';
const REVALIDATED = 'public, no-cache';

const answerOf = (made: Made): Answer => (made instanceof Answer ? made : new Answer(200, made));

/** Sends what a handler made; a single record that the client has already is told so in place of being sent. */
export function sendMade(reply: FastifyReply, request: FastifyRequest, route: Route, made: Made): FastifyReply {
  if (made instanceof StreamedAnswer) return sendStreamed(reply.header('cache-control', PRIVATE), made);
  const { status, body, headers } = answerOf(made);
  reply.code(status).headers(headers);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', route.scope === null ? REVALIDATED : PRIVATE);
  if (body === undefined) return reply.send();
  if (Buffer.isBuffer(body)) return reply.send(body);
  const other = status === 200 ? restated(route, request, () => body) : null;
  if (other) return reply.header('content-type', other.mediaType).send(other.text);
  const text = JSON.stringify(body);
  if (status === 200 && isTagged(route)) {
    const tag = entityTagOf(text);
    reply.header('etag', tag);
    if (matchesEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply.header('content-type', headers['content-type'] ?? JSON_TYPE).send(text);
}

/** The same as something that can be kept and sent again. */
export function madeOf(made: Made): FirstAnswer {
  if (made instanceof StreamedAnswer) throw new Error('a streamed answer cannot be kept for an Idempotency-Key');
  const { status, body, headers } = answerOf(made);
  if (Buffer.isBuffer(body)) return { status, code: null, headers, body };
  const text = body === undefined ? '' : JSON.stringify(body);
  return { status, code: null, headers, body: Buffer.from(text) };
}

export function madeError(error: Error, request: FastifyRequest, logger: Logger): FirstAnswer {
  const { status, code, headers, body } = errorAnswer(error, request, logger);
  return { status, code, headers, body: Buffer.from(body) };
}

/** The answer in the media type that the request asks for, where the route has one. */
function restated(route: Route, request: FastifyRequest, body: () => unknown): OtherForm | null {
  const { accept } = request.headers;
  return route.restate === undefined || accept === undefined ? null : route.restate(body(), accept);
}

export function sendFirst(
  reply: FastifyReply,
  request: FastifyRequest,
  route: Route,
  { answer, replayed }: Outcome,
): FastifyReply {
  const { status, code, headers, body } = answer;
  request.errorCode = code;
  reply.code(status).headers(headers);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', PRIVATE);
  if (replayed) {
    request.replayed = true;
    reply.header('idempotency-replayed', 'true');
  }
  if (body.length === 0) return reply.send();
  const kept = (): unknown => JSON.parse(Buffer.from(body).toString());
  const other = status === 200 && code === null ? restated(route, request, kept) : null;
  if (other) return reply.header('content-type', other.mediaType).send(other.text);
  return reply
    .header('content-type', code === null ? (headers['content-type'] ?? JSON_TYPE) : errorType(request))
    .send(body);
}

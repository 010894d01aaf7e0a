import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FirstAnswer } from '../shared/idempotency/answer-store.js';
import type { Outcome } from '../shared/idempotency/idempotency.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { entityTagOf, isTagged, matchesEntityTag } from './entity-tag.js';
import type { BodyWarning } from './free-form.js';
import { errorAnswer, errorType, JSON_TYPE } from './plugins/errors.js';
import { Answer, type OtherForm, type Route } from './route.js';
import { StreamedAnswer, sendStreamed } from './streams/streamed-answer.js';

/** The result of a handler: an Answer (its body may be bytes), a StreamedAnswer, or the body of a 200. */
export type Made = unknown;

/** Any keyed answer may contain personal data, so no cache may store it. */
const PRIVATE = 'private, no-store';
const REVALIDATED = 'public, no-cache';

const answerOf = (made: Made): Answer => (made instanceof Answer ? made : new Answer(200, made));

/** Adds the unknown members of a free-form body to an answer that is an object. */
export function withWarningsOf(warnings: readonly BodyWarning[], made: Made): Made {
  if (warnings.length === 0 || made instanceof StreamedAnswer) return made;
  const { status, body, headers } = answerOf(made);
  return isPlainObject(body) ? new Answer(status, { ...body, warnings }, headers) : made;
}

const isPlainObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body);

/** Sends the result of a handler; 304 for a single record that the client already has. */
export function sendMade(reply: FastifyReply, request: FastifyRequest, route: Route, made: Made): FastifyReply {
  if (made instanceof StreamedAnswer) return sendStreamed(reply.header('cache-control', PRIVATE), made);
  const { status, body, headers } = answerOf(made);
  reply.code(status).headers(headers);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', route.scope === null ? REVALIDATED : PRIVATE);
  if (body === undefined) return reply.send();
  if (Buffer.isBuffer(body)) return reply.send(body);
  const other = isReport(status) ? restated(route, request, () => body) : null;
  if (other) return reply.header('content-type', other.mediaType).send(other.text);
  const text = JSON.stringify(body);
  if (status === 200 && isTagged(route)) {
    const tag = entityTagOf(text);
    reply.header('etag', tag);
    if (matchesEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply.header('content-type', headers['content-type'] ?? JSON_TYPE).send(text);
}

/** Converts the result to an answer that can be stored and sent again. */
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

/** A raw message without anything readable is answered by its report, with the sender's acknowledgement. */
const isReport = (status: number): boolean => status === 200 || status === 422;

/** Converts the answer to a media type that Accept names, if the route has one. */
function restated(route: Route, request: FastifyRequest, body: () => unknown): OtherForm | null {
  const { accept } = request.headers;
  return route.restate === undefined || accept === undefined ? null : route.restate(body(), accept);
}

export function sendFirst(
  reply: FastifyReply,
  request: FastifyRequest,
  route: Route,
  { answer, replayed }: Pick<Outcome, 'answer'> & { readonly replayed: boolean | 'recomputed' },
): FastifyReply {
  const { status, code, headers, body } = answer;
  request.errorCode = code;
  reply.code(status).headers(headers);
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', PRIVATE);
  if (replayed !== false) {
    request.replayed = true;
    reply.header('idempotency-replayed', String(replayed));
  }
  if (body.length === 0) return reply.send();
  const kept = (): unknown => JSON.parse(Buffer.from(body).toString());
  const other = isReport(status) && code === null ? restated(route, request, kept) : null;
  if (other) return reply.header('content-type', other.mediaType).send(other.text);
  return reply
    .header('content-type', code === null ? (headers['content-type'] ?? JSON_TYPE) : errorType(request))
    .send(body);
}

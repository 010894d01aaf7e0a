import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { CallerLeft, CLIENT_LEFT } from '../../shared/errors/caller-left.js';
import { Problem, problem } from '../../shared/errors/problem.js';
import type { ErrorCode } from '../../shared/errors/registry.js';
import { asProblem } from '../../shared/errors/unexpected.js';
import { describeUnexpected } from '../../shared/telemetry/describe-error.js';
import type { Logger } from '../../shared/telemetry/logger.js';

/** RFC 9457 `type`: a URN with the code, not a URL. */
export const problemType = (code: ErrorCode): string => `urn:evidentiary-audit:problem:${code}`;

const PROBLEM_JSON = 'application/problem+json; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** The error object of every status (api.md section 1). */
export function errorBody(found: Problem, requestId: string): Record<string, unknown> {
  const { errors, extra } = found.details;
  return {
    ...extra,
    code: found.code,
    message: found.message,
    status: found.status,
    request_id: requestId,
    ...(errors ? { errors } : {}),
    type: problemType(found.code),
    title: found.title,
  };
}

/** Codes for statuses of Fastify's own errors. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'VALIDATION_ERROR',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'UNAVAILABLE',
};

/** Errors for URLs that no route can have. */
const UNROUTABLE = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);
const MALFORMED = new Set(['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'ECONNRESET', 'ECONNABORTED']);

function problemOf(error: FastifyError | Error): Problem {
  if (error instanceof Problem) return error;
  // Errors of the database have numbers as codes.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  if (code && MALFORMED.has(code)) return problem('MALFORMED_BODY', { message: 'The body ended early.' });
  if (code && UNROUTABLE.has(code)) return problem('NOT_FOUND', { message: 'There is no such route.' });
  const known = code?.startsWith('FST_') && statusCode ? CODE_BY_STATUS[statusCode] : undefined;
  return known ? problem(known) : asProblem(error);
}

/** An error as an answer, except for its JSON media type. */
interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Makes the answer to an error of any stage, and logs the internal details of a server error. */
export function errorAnswer(error: Error, request: FastifyRequest, logger: Logger): ErrorAnswer {
  const found = problemOf(error);
  if (found.status >= 500 && (found.details.cause !== undefined || found.details.internal !== undefined)) {
    const { traceId } = request.trace ?? {};
    const about = { request_id: request.id, trace_id: traceId, code: found.code, ...describeUnexpected(found) };
    logger.error(about, 'a request failed');
  }
  const retryAfter =
    found.details.retryAfterSeconds ?? (found.code === 'UNAVAILABLE' ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  return {
    status: found.status,
    code: found.code,
    headers: {
      ...found.details.headers,
      ...(found.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify(errorBody(found, request.id)),
  };
}

/** Errors are `application/json`, or `application/problem+json` if Accept names it (RFC 9457 section 3). */
export const errorType = (request: FastifyRequest): string =>
  request.headers.accept?.toLowerCase().includes('application/problem+json') === true ? PROBLEM_JSON : JSON_TYPE;

export function answerError(error: Error, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  if (error instanceof CallerLeft) {
    reply.code(CLIENT_LEFT).send();
    return;
  }
  const { status, code, headers, body } = errorAnswer(error, request, logger);
  request.errorCode = code;
  reply.code(status).headers(headers).header('content-type', errorType(request)).send(body);
}

/**
 * Writes the error object to the socket for bytes that are not HTTP. During a request the fault is in its body: cut short,
 * another length than Content-Length, or broken chunks.
 */
export function answerUnreadable(socket: Socket, requestId: string, isBody: boolean): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const found = isBody
    ? problem('MALFORMED_BODY', { message: 'The body does not have the length of Content-Length, or was cut short.' })
    : problem('VALIDATION_ERROR', { message: 'The request line or a header is not valid HTTP.' });
  const body = JSON.stringify(errorBody(found, requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

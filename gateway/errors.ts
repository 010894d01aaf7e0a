import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { CallerLeft } from '../shared/errors/caller-left.js';
import { type FieldFault, type Problem, type ProblemDetails, problem } from '../shared/errors/problem.js';
import { isErrorCode } from '../shared/errors/registry.js';
import { asProblem } from '../shared/errors/unexpected.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import type { Logger } from '../shared/telemetry/logger.js';

// Converts between Problem and GraphQL `extensions`. Other errors are masked as INTERNAL in the subgraph, so that no driver
// text, stack or value crosses the graph.

interface ProblemExtensions {
  readonly code: string;
  readonly errors?: readonly FieldFault[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retry_after_seconds?: number;
}

/** Masks a resolver's error before it leaves the subgraph, and logs the internal details. */
export function maskedError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  const cause = error.originalError ?? error;
  const found = asProblem(cause);
  if (cause instanceof CallerLeft) return withPlace(error, found.message, extensionsOf(found));
  if (found.details.internal !== undefined || found.status >= 500) {
    const text = cause === found ? 'a resolver failed' : 'a resolver failed unexpectedly';
    logger.error({ request_id: requestId, code: found.code, ...describeUnexpected(cause) }, text);
  }
  return withPlace(error, found.message, extensionsOf(found));
}

/** A Problem of the gateway in the form of a subgraph's error. */
export const errorOf = (found: Problem): GraphQLError =>
  new GraphQLError(found.message, { extensions: { ...extensionsOf(found) } });

const withPlace = (error: GraphQLError, message: string, extensions: ProblemExtensions): GraphQLError =>
  new GraphQLError(message, {
    ...(error.path ? { path: error.path } : {}),
    extensions: { ...extensions },
  });

function extensionsOf({ code, details }: Problem): ProblemExtensions {
  return {
    code,
    ...(details.errors ? { errors: details.errors } : {}),
    ...(details.extra ? { extra: details.extra } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after_seconds: details.retryAfterSeconds }),
  };
}

/** Converts an executor's error to its Problem; an error without a known code is INTERNAL without its text. */
export function problemOf(error: GraphQLError | GraphQLFormattedError): Problem {
  // Made by `extensionsOf`, here or in another process of the service.
  const extensions = (error.extensions ?? {}) as Partial<ProblemExtensions>;
  if (!isErrorCode(extensions.code))
    return problem('INTERNAL', { internal: 'the gateway failed without a known code' });
  const details: ProblemDetails = {
    message: error.message,
    ...(extensions.errors ? { errors: extensions.errors } : {}),
    ...(extensions.extra ? { extra: extensions.extra } : {}),
    ...(extensions.retry_after_seconds === undefined ? {} : { retryAfterSeconds: extensions.retry_after_seconds }),
  };
  return problem(extensions.code, details);
}

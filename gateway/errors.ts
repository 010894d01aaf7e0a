import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type FieldFault, type Problem, type ProblemDetails, problem } from '../shared/errors/problem.js';
import { isErrorCode } from '../shared/errors/registry.js';
import { asProblem } from '../shared/errors/unexpected.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import type { Logger } from '../shared/telemetry/logger.js';

// Problem ⇄ GraphQL `extensions`. What is not a Problem is masked as INTERNAL at the place where it happened, so that no
// driver text, stack or value crosses the graph.

interface ProblemExtensions {
  readonly code: string;
  readonly errors?: readonly FieldFault[];
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly retry_after_seconds?: number;
}

/** The form in which a resolver's error leaves its subgraph; logs what the client must not see. */
export function maskedError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  const cause = error.originalError ?? error;
  const found = asProblem(cause);
  if (found.details.internal !== undefined || found.status >= 500) {
    const text = cause === found ? 'a resolver failed' : 'a resolver failed unexpectedly';
    logger.error({ request_id: requestId, code: found.code, ...describeUnexpected(cause) }, text);
  }
  return withPlace(error, found.message, extensionsOf(found));
}

/** A Problem of the gateway's own, in the form of a subgraph's answer. */
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

/** The Problem that an executor's error stands for; anything without a code of ours is INTERNAL, its text dropped. */
export function problemOf(error: GraphQLError | GraphQLFormattedError): Problem {
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

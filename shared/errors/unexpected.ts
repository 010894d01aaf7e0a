import { Problem, problem } from './problem.js';

/** Driver errors that mean "the database cannot be reached now", told by name: only shared/db knows the driver. */
const UNREACHABLE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
]);

const RETRY_AFTER_SECONDS = 1;

/** What a client is told of any thrown thing: a Problem as it is, an unreachable database as 503, all else as 500. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Error && UNREACHABLE.has(error.name)) {
    return problem('UNAVAILABLE', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return problem('INTERNAL', { cause: error });
}

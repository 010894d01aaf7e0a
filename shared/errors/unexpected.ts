import { Problem, problem } from './problem.js';

/** Names of driver errors for an unreachable database; only shared/db imports the driver. */
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

/** Codes of a socket whose other end went away: the driver passes the failed write of a pooled connection unwrapped. */
const BROKEN_SOCKET: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED']);

const RETRY_AFTER_SECONDS = 1;

/** Maps a thrown value to a Problem: an unreachable database is UNAVAILABLE, anything unknown is INTERNAL. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Error && (UNREACHABLE.has(error.name) || ('code' in error && BROKEN_SOCKET.has(error.code)))) {
    return problem('UNAVAILABLE', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return problem('INTERNAL', { cause: error });
}

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

/** Codes of a socket after the other end went away: the driver passes the failed write of a pooled connection unwrapped. */
const BROKEN_SOCKET: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED']);

/**
 * Codes of a server that cannot serve at the moment: its disk is full (14031), it stops (91, 11600, 11602), or another
 * member of its set is the primary (189, 10107, 13435, 13436).
 */
const SERVER_AWAY: ReadonlySet<unknown> = new Set([14_031, 91, 11_600, 11_602, 189, 10_107, 13_435, 13_436]);

const RETRY_AFTER_SECONDS = 1;

const isAway = (error: Error): boolean =>
  UNREACHABLE.has(error.name) || ('code' in error && (BROKEN_SOCKET.has(error.code) || SERVER_AWAY.has(error.code)));

/** Maps a thrown value to a Problem: an unreachable or full database is UNAVAILABLE, anything unknown is INTERNAL. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Error && isAway(error)) {
    return problem('UNAVAILABLE', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return problem('INTERNAL', { cause: error });
}

import { jitter, newIdempotencyKey, wait } from './runtime.js';

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** Attempts of one request, the first included; 1 turns retries off. Default 4. */
  readonly maxAttempts?: number;
  /** The longest wait before one retry. An answer with a longer Retry-After is final. Default 30,000. */
  readonly maxWaitMs?: number;
  /** Another timer, for tests. */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const DEFAULT_MAX_ATTEMPTS = 4;
const DEFAULT_MAX_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 500;
const IDEMPOTENCY_KEY = 'idempotency-key';
/** Too many requests, and a service or a proxy that cannot answer now. */
const RETRIED_STATUSES: readonly number[] = [429, 502, 503, 504];

/**
 * Retries requests that are safe to repeat: reads, and POSTs, each of which gets an Idempotency-Key that all its attempts
 * share. PUT, PATCH and DELETE are sent once, because the service knows no key of theirs.
 */
export function retrying(send: Fetch, options: RetryOptions = {}): Fetch {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, maxWaitMs = DEFAULT_MAX_WAIT_MS, wait: pause = wait } = options;
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, newIdempotencyKey());
    }
    const attempts = isRepeatable(request) ? maxAttempts : 1;
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      const outcome = await attemptOf(send, request);
      const waitMs = waitOf(outcome, attempt, maxWaitMs);
      if (waitMs === undefined) return settled(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await pause(waitMs, request.signal);
    }
    return whole(await send(request));
  };
}

const isRepeatable = ({ method, headers }: Request): boolean =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && headers.has(IDEMPOTENCY_KEY));

/** Why the request got no answer. */
class NoAnswer {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

async function attemptOf(send: Fetch, request: Request): Promise<Response | NoAnswer> {
  try {
    // A body can be read once; the clone keeps it for the next attempt.
    return await whole(await send(request.clone()));
  } catch (cause) {
    request.signal.throwIfAborted();
    return new NoAnswer(cause);
  }
}

function settled(outcome: Response | NoAnswer): Response {
  if (outcome instanceof NoAnswer) throw outcome.cause;
  return outcome;
}

/** Reads a JSON answer to its end, so that a cut in it is seen here. Other answers stay streams. */
async function whole(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !/^application\/(problem\+)?json\b/.test(type)) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** @returns milliseconds before the next attempt, or undefined when the outcome is final. */
function waitOf(outcome: Response | NoAnswer, attempt: number, maxWaitMs: number): number | undefined {
  const backoffMs = Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + jitter() / 2);
  if (outcome instanceof NoAnswer) return backoffMs;
  const told = outcome.headers.get('retry-after');
  // The first request with this key still runs, or a record is on its way: the service says when to ask again.
  const isEarly = outcome.status === 409 && told !== null;
  if (!isEarly && !RETRIED_STATUSES.includes(outcome.status)) return undefined;
  if (told === null || !/^\d+$/.test(told)) return backoffMs;
  const toldMs = Number(told) * 1_000;
  return toldMs > maxWaitMs ? undefined : Math.max(toldMs, backoffMs);
}

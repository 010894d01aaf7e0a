import type { Dispatcher } from 'undici';
import type { FetchResult } from '../subgraph-source.js';

/** How a call came to nothing. */
export interface Failure {
  /** `not-sent`: no process has begun it; `lost`: it may have been done; `refused`: answered, against the agreement. */
  readonly kind: 'not-sent' | 'lost' | 'refused';
  readonly reason: string;
  readonly cause?: unknown;
}

/** No connection was made, so nothing was sent. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Reads the answer to one call. A subgraph that stops or starts answers 503 without having begun the work. */
export async function judge(
  request: Promise<Dispatcher.ResponseData>,
): Promise<{ readonly result: FetchResult } | Failure> {
  try {
    const { statusCode, body } = await request;
    // The answer of another process of the service: the ports and the executor parse what they read of it.
    if (statusCode === 200) return { result: (await body.json()) as FetchResult };
    await body.dump();
    if (statusCode === 503) return { kind: 'not-sent', reason: 'it is starting or stopping' };
    if (statusCode === 401) return { kind: 'refused', reason: 'the internal token was refused' };
    return { kind: 'refused', reason: `it answered ${statusCode}` };
  } catch (cause) {
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
    if (typeof code === 'string' && NEVER_CONNECTED.has(code)) return { kind: 'not-sent', reason: code, cause };
    return { kind: 'lost', reason: typeof code === 'string' ? code : 'the exchange failed', cause };
  }
}

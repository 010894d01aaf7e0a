import type { ExecutionResult } from 'graphql';
import type { Dispatcher } from 'undici';

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
): Promise<{ readonly result: Pick<ExecutionResult, 'data' | 'errors'> } | Failure> {
  try {
    const { statusCode, body } = await request;
    if (statusCode === 200) return { result: (await body.json()) as Pick<ExecutionResult, 'data' | 'errors'> };
    await body.dump();
    if (statusCode === 503) return { kind: 'not-sent', reason: 'it is starting or stopping' };
    if (statusCode === 401) return { kind: 'refused', reason: 'the internal token was refused' };
    return { kind: 'refused', reason: `it answered ${statusCode}` };
  } catch (cause) {
    const code = (cause as { readonly code?: unknown }).code;
    if (typeof code === 'string' && NEVER_CONNECTED.has(code)) return { kind: 'not-sent', reason: code, cause };
    return { kind: 'lost', reason: typeof code === 'string' ? code : 'the exchange failed', cause };
  }
}

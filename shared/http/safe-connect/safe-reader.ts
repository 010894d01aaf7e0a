import { Pool } from 'undici';
import type { TargetPolicy } from './address-policy.js';
import type { Target } from './judge-url.js';
import { type ResolveHost, systemResolver } from './resolve-host.js';
import { safeConnector } from './safe-connector.js';
import { type SendFailure, sendFailureOf } from './send-failure.js';

/** What an address that a tenant named has answered, or why it has not. */
type ReadResult =
  | { readonly status: number; readonly retryAfter: string | null; readonly mediaType: string; readonly body: Buffer }
  | { readonly failure: SendFailure | 'too_long' };

interface ReadRequest {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  /** Posted where there is one. */
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  /** From the first name looked up to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface SafeReaderOptions {
  readonly policy: TargetPolicy;
  readonly resolve?: ResolveHost;
  /** Trusted certificates in addition to the system's, PEM. */
  readonly ca?: string;
}

const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Gets the content of a given URL, or posts to it and returns the answer, over the same connections as webhooks.
 * Follows no redirect. A connection serves one request: these requests are too rare to keep one open.
 */
export function safeReader(options: SafeReaderOptions): (request: ReadRequest) => Promise<ReadResult> {
  const connect = safeConnector({
    ...options,
    resolve: options.resolve ?? systemResolver(),
    timeoutMs: CONNECT_TIMEOUT_MS,
  });
  return async ({ target, headers, body: posted, maxBytes, timeoutMs, signal }) => {
    const pool = new Pool(target.origin, { connect, connections: 1, maxHeaderSize: MAX_HEADER_BYTES });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await pool.request({
        method: posted === undefined ? 'GET' : 'POST',
        path: target.path,
        ...(posted === undefined ? {} : { body: posted }),
        headers: { ...headers },
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await gathered(answer.body, maxBytes);
      if (body === null) return { failure: 'too_long' };
      return {
        status: answer.statusCode,
        retryAfter: textOf(answer.headers['retry-after']),
        mediaType: textOf(answer.headers['content-type']) ?? '',
        body,
      };
    } catch (error) {
      if (timeout.aborted) return { failure: 'timeout' };
      return { failure: signal.aborted ? 'aborted' : sendFailureOf(error) };
    } finally {
      await pool.destroy();
    }
  };
}

const textOf = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header[0] : header) ?? null;

/** Null for a body that is longer than it may be. */
async function gathered(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

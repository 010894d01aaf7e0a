import { type Dispatcher, Pool } from 'undici';
import type { TargetPolicy } from './address-policy.js';
import type { Target } from './judge-url.js';
import { type ResolveHost, systemResolver } from './resolve-host.js';
import { safeConnector } from './safe-connector.js';
import { type SendFailure, sendFailureOf } from './send-failure.js';

/** What came back, or why nothing did. */
export type SendResult =
  | { readonly status: number; readonly retryAfter: string | null }
  | { readonly failure: SendFailure };

interface SendRequest {
  readonly target: Target;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** From the first name looked up to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Breaks it off; the answer is then `aborted`. */
  readonly signal?: AbortSignal;
}

interface SafeClientOptions {
  readonly policy: TargetPolicy;
  readonly resolve?: ResolveHost;
  /** Trusted certificates in addition to the system's, PEM. */
  readonly ca?: string;
}

/** Maximum bytes read of a response body. A longer one is cut off with its connection. */
const MAX_ANSWER_BYTES = 20_000;
const MAX_HEADER_BYTES = 16_384;
/** Maximum number of origins with their own connections. The least recently used ones beyond it are closed. */
const MAX_ORIGINS = 1_000;
const KEEP_ALIVE_MS = 10_000;
/** A handshake has as long as the whole: the sender's own clock ends it. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Posts to addresses that tenants name. Follows no redirect; connections are kept and used again, each of them vetted. */
export class SafeClient {
  readonly #options: Required<Pick<SafeClientOptions, 'policy' | 'resolve'>> & SafeClientOptions;
  readonly #pools = new Map<string, Pool>();

  constructor(options: SafeClientOptions) {
    this.#options = { ...options, resolve: options.resolve ?? systemResolver() };
  }

  /** Never rejects: a receiver that cannot be reached is a result. */
  post({ target, headers, body, timeoutMs, signal }: SendRequest): Promise<SendResult> {
    return new Promise((resolve) => {
      const exchange = new Exchange(timeoutMs, signal, resolve);
      const { origin, path } = target;
      this.#poolOf(origin).dispatch({ origin, path, method: 'POST', headers: [...headers], body }, exchange);
    });
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** In the order of their use. */
  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known) {
      this.#pools.delete(origin);
      this.#pools.set(origin, known);
      return known;
    }
    const made = new Pool(origin, {
      connect: safeConnector({ ...this.#options, timeoutMs: CONNECT_TIMEOUT_MS }),
      connections: null,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // One clock for the whole exchange is enough.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pools.set(origin, made);
    if (this.#pools.size > MAX_ORIGINS) this.#letGoOldest();
    return made;
  }

  #letGoOldest(): void {
    const [oldest] = this.#pools;
    if (!oldest) return;
    this.#pools.delete(oldest[0]);
    // Closes after its running requests have ended.
    void oldest[1].close();
  }
}

/** One request under way. The first of answer, failure, time and signal ends it. */
class Exchange implements Dispatcher.DispatchHandlers {
  readonly #settle: (result: SendResult) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onSignal = (): void => this.#end({ failure: 'aborted' });
  #abort: ((error?: Error) => void) | undefined;
  #ended = false;
  #status = 0;
  #retryAfter: string | null = null;
  #bytes = 0;

  constructor(timeoutMs: number, signal: AbortSignal | undefined, settle: (result: SendResult) => void) {
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#end({ failure: 'timeout' }), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onSignal, { once: true });
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    // Its time was over while it waited for a connection.
    if (this.#ended || this.#signal?.aborted) abort(new Error('nobody waits for it'));
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    // 1xx: the answer is still to come.
    if (status < 200) return true;
    this.#status = status;
    this.#retryAfter = headerOf(headers, 'retry-after');
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) this.#end(this.#answer());
    return true;
  }

  onComplete(): void {
    this.#finish(this.#answer());
  }

  onError(error: Error): void {
    this.#finish({ failure: this.#signal?.aborted ? 'aborted' : sendFailureOf(error) });
  }

  onUpgrade(): void {
    this.#end({ failure: 'protocol' });
  }

  #answer(): SendResult {
    return { status: this.#status, retryAfter: this.#retryAfter };
  }

  /** The result is final. Drops the rest of the exchange with its connection. */
  #end(result: SendResult): void {
    this.#finish(result);
    this.#abort?.(new Error('nobody waits for it'));
  }

  #finish(result: SendResult): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onSignal);
    this.#settle(result);
  }
}

function headerOf(headers: readonly Buffer[], name: string): string | null {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const key = headers[i];
    if (key?.length === name.length && key.toString('latin1').toLowerCase() === name) {
      return headers[i + 1]?.toString('latin1') ?? null;
    }
  }
  return null;
}

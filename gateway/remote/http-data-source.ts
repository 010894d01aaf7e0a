import type { RequestContext } from '../../shared/auth/context.js';
import type { InternalTokens } from '../../shared/auth/internal-token.js';
import type { Clock } from '../../shared/clock/clock.js';
import { delay } from '../../shared/clock/timers.js';
import { stopIfLeft } from '../../shared/errors/caller-left.js';
import { type Problem, problem } from '../../shared/errors/problem.js';
import type { SubgraphName } from '../../shared/graph/subgraph-names.js';
import { describeUnexpected } from '../../shared/telemetry/describe-error.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { inSpan } from '../../shared/telemetry/spans.js';
import { errorOf } from '../errors.js';
import { operationSpan } from '../operation-span.js';
import type { FetchResult, PlannedFetch, SubgraphSource } from '../subgraph-source.js';
import { type Address, AddressList, addressOf } from './address.js';
import { Bulkhead } from './bulkhead.js';
import { type Failure, judge } from './exchange.js';

interface HttpSourceOptions {
  readonly name: SubgraphName;
  /** `http://host:port` of every process that serves it. */
  readonly urls: readonly string[];
  readonly tokens: InternalTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest wait for the head of an answer, and between two pieces of its body. */
  readonly timeoutMs: number;
}

/** One call to another process. */
interface RemoteCall {
  readonly body: string;
  readonly context: RequestContext;
  readonly traceparent: string | undefined;
}

const MAX_CONCURRENT = 256;
const MAX_WAITING = 2_048;
const RETRY_DELAY_MS = 50;
const RETRY_AFTER_SECONDS = 1;

/**
 * A subgraph in other processes. A call that reached no process goes to the next one. A lost query is sent once more; a lost
 * mutation is not, because it may have run. A read ends with its client: the closed connection stops it there too. If no process can be reached, the answer is UNAVAILABLE, at once while the
 * breakers are open.
 */
export class HttpDataSource implements SubgraphSource {
  readonly #options: HttpSourceOptions;
  readonly #addresses: AddressList;
  readonly #bulkhead = new Bulkhead(MAX_CONCURRENT, MAX_WAITING);

  constructor(options: HttpSourceOptions) {
    this.#options = options;
    this.#addresses = new AddressList(options.urls.map((url) => addressOf(url, options.clock, options.timeoutMs)));
  }

  process({ request: { query = '', variables = {} }, context }: PlannedFetch): Promise<FetchResult> {
    return this.fetch(query, variables, context);
  }

  async fetch(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<FetchResult> {
    const body = JSON.stringify({ query, variables });
    return inSpan({ ...operationSpan(query, 'client') }, async (span) => {
      const call = { body, context, traceparent: span?.traceparent };
      const result = await this.#bulkhead.run(() => this.#send(call, isRead(query)));
      return result ?? this.#refuse(this.#unavailable('too many calls wait for it'));
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#addresses.addresses.map(({ pool }) => pool.close()));
  }

  async #send(call: RemoteCall, read: boolean): Promise<FetchResult> {
    const tried = new Set<Address>();
    let retried = false;
    for (;;) {
      const address = this.#addresses.take(tried);
      if (!address) return this.#refuse(this.#unavailable('no process of it can be called'));
      const outcome = await this.#exchange(address, call);
      if ('result' in outcome) return outcome.result;
      stopIfLeft(call.context.signal);
      this.#report(outcome, call.context);
      if (outcome.kind === 'refused') return this.#refuse(problem('INTERNAL', { internal: outcome.reason }));
      tried.add(address);
      const more = this.#addresses.addresses.some((other) => !tried.has(other));
      if (outcome.kind === 'not-sent' && more) continue;
      if (!read || retried) return this.#refuse(this.#unavailable(outcome.reason));
      retried = true;
      if (more) continue;
      tried.clear();
      await delay(RETRY_DELAY_MS);
    }
  }

  async #exchange(
    address: Address,
    { body, context, traceparent }: RemoteCall,
  ): Promise<{ result: FetchResult } | Failure> {
    const headers = {
      ...(traceparent === undefined ? {} : { traceparent }),
      'content-type': 'application/json',
      authorization: `Internal ${this.#options.tokens.mint(context)}`,
    };
    const { signal = null } = context;
    const outcome = await judge(address.pool.request({ method: 'POST', path: '/graphql', headers, body, signal }));
    // A call that its client ended says nothing about the process.
    if ('result' in outcome || outcome.kind === 'refused' || signal?.aborted === true) address.breaker.succeeded();
    else address.breaker.failed();
    return outcome;
  }

  #report(failure: Failure, context: RequestContext): void {
    const { name, logger } = this.#options;
    const cause = failure.cause === undefined ? {} : describeUnexpected(failure.cause);
    logger.warn({ request_id: context.requestId, subgraph: name, reason: failure.reason, ...cause }, 'a call failed');
  }

  #unavailable(reason: string): Problem {
    const waits = this.#addresses.addresses.map(({ breaker }) => breaker.retryAfterMs);
    const seconds = Math.max(RETRY_AFTER_SECONDS, Math.ceil(Math.min(...waits) / 1000));
    return problem('UNAVAILABLE', { internal: `${this.#options.name}: ${reason}`, retryAfterSeconds: seconds });
  }

  #refuse(found: Problem): FetchResult {
    return { data: null, errors: [errorOf(found)] };
  }
}

/** The planner and the ports print operations with their keyword first, or a bare selection for a query. */
const isRead = (query: string): boolean => !query.startsWith('mutation');

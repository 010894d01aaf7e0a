import type { Clock } from '../../../shared/clock/clock.js';
import { repeat } from '../../../shared/clock/timers.js';
import type { UrlVerdict } from '../../../shared/http/safe-connect/judge-url.js';
import { parseStrictJson } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { type BodyDeps, takeBody } from './body.js';
import { type FhirPage, fhirPageOf } from './domain/fhir-page.js';
import type { FhirPollConfig } from './domain/kinds.js';
import { ConnectorFailure, type Fetch } from './ports.js';
import { type ConnectorRunner, type RunnerContext, retryMs } from './runner.js';

export interface PollDeps {
  readonly bodies: BodyDeps;
  readonly fetch: Fetch;
  readonly judgeUrl: (url: string) => UrlVerdict;
  readonly clock: Clock;
  /** Splits a Bundle into the exact bytes of its resources. */
  readonly resourcesIn: (page: Buffer) => readonly (Uint8Array | null)[];
}

const SECOND_MS = 1_000;
const TIMEOUT_MS = 60_000;
const MAX_PAGE_BYTES = 33_554_432;
/** The most pages in one turn; the next turn continues from there. */
const MAX_PAGES = 10_000;
/** Resources in flight, which share the appends of their chain. */
const TOGETHER = 16;
const NOTHING = new Uint8Array();

/**
 * Queries a FHIR server for resources updated since the last turn, page by page; each page is durable before the next
 * query. A turn repeats the last resource of the one before, which adds nothing and misses none of the same instant.
 */
export async function runPoll(deps: PollDeps, context: RunnerContext<FhirPollConfig>): Promise<ConnectorRunner> {
  const { config, journal, signal, holds } = context;
  const stopping = new AbortController();
  const poller = new Poller(deps, context, AbortSignal.any([signal, stopping.signal]));
  const pollMs = (config.poll_seconds ?? 60) * SECOND_MS;
  let dueMs = Number.NEGATIVE_INFINITY;
  const turns = repeat(
    SECOND_MS / 4,
    async () => {
      if (stopping.signal.aborted || !holds() || deps.clock.monotonicMs() < dueMs) return;
      await poller.turn();
      journal.works();
      dueMs = deps.clock.monotonicMs() + pollMs;
    },
    (error) => {
      if (stopping.signal.aborted) return;
      const failure =
        error instanceof ConnectorFailure
          ? error
          : new ConnectorFailure('UNAVAILABLE', 'A page could not be ingested.');
      journal.fails(failure);
      dueMs = deps.clock.monotonicMs() + retryMs(journal.failures, failure.retryAfterMs);
    },
  );
  return {
    stop: async () => {
      stopping.abort();
      await turns.stop();
    },
  };
}

class Poller {
  readonly #deps: PollDeps;
  readonly #context: RunnerContext<FhirPollConfig>;
  readonly #signal: AbortSignal;
  readonly #since: Map<string, string>;

  constructor(deps: PollDeps, context: RunnerContext<FhirPollConfig>, signal: AbortSignal) {
    this.#deps = deps;
    this.#context = context;
    this.#signal = signal;
    this.#since = new Map(Object.entries(context.cursor));
  }

  async turn(): Promise<void> {
    for (const type of this.#context.config.resource_types) await this.#ask(type);
  }

  async #ask(type: string): Promise<void> {
    const { config } = this.#context;
    const since = this.#since.get(type) ?? config.since;
    let url: string | null = searchUrl(config, type, since);
    const { origin } = new URL(url);
    let latest: string | undefined;
    let ascends = true;
    for (let pages = 0; url !== null && pages < MAX_PAGES; pages += 1) {
      if (this.#signal.aborted) return;
      const page = await this.#page(url);
      ascends &&= page.ascends && isNoEarlier(page.lastUpdated, latest);
      if (page.lastUpdated !== null && isNoEarlier(page.lastUpdated, latest)) latest = page.lastUpdated;
      url = page.next === null ? null : nextUrl(page.next, url, origin);
      // Within the pages a position is safe only after all earlier resources.
      if (latest !== undefined && (url === null || ascends)) this.#reach(type, latest);
    }
  }

  #reach(type: string, place: string): void {
    this.#since.set(type, place);
    this.#context.journal.reached(type, place);
  }

  /** Ingests one page; every resource is durable when it resolves. */
  async #page(url: string): Promise<FhirPage> {
    const body = await askFhir(this.#deps, this.#context.config, url, this.#signal);
    const page = pageIn(body);
    const resources = this.#deps.resourcesIn(body).filter((bytes, at) => bytes !== null && !page.notes.has(at));
    for (let from = 0; from < resources.length; from += TOGETHER) {
      await Promise.all(resources.slice(from, from + TOGETHER).map((bytes) => this.#take(bytes ?? NOTHING)));
    }
    return page;
  }

  /** Each resource is a separate body, because the rest of a page differs from turn to turn. */
  async #take(bytes: Uint8Array): Promise<void> {
    const { connector, config, journal } = this.#context;
    const taken = await takeBody(this.#deps.bodies, connector, once(bytes), { strict: config.strict === true });
    journal.count(taken.counts);
    if (taken.trouble) journal.trouble(taken.trouble);
  }
}

/** Gets one URL of the server. @throws ConnectorFailure for any status except 200. */
export async function askFhir(
  { judgeUrl, fetch }: Pick<PollDeps, 'judgeUrl' | 'fetch'>,
  config: FhirPollConfig,
  url: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const verdict = judgeUrl(url);
  if ('refused' in verdict)
    throw new ConnectorFailure('ADDRESS_REFUSED', 'The deployment does not allow requests to this server.');
  const answer = await fetch({
    target: verdict.target,
    headers: { accept: 'application/fhir+json', ...authorizationOf(config) },
    maxBytes: MAX_PAGE_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if ('failure' in answer) {
    throw new ConnectorFailure(answer.failure.toUpperCase(), "The server's answer is unreadable.");
  }
  if (answer.status === 200) return answer.body;
  const asked = Number(answer.retryAfter);
  const retryAfterMs = Number.isFinite(asked) && answer.retryAfter !== null ? asked * SECOND_MS : undefined;
  throw new ConnectorFailure(`HTTP_${answer.status}`, `The server answered ${answer.status}.`, retryAfterMs);
}

function authorizationOf({ authorization, username, password, token }: FhirPollConfig): Record<string, string> {
  if (authorization === 'BEARER') return { authorization: `Bearer ${token}` };
  if (authorization !== 'BASIC') return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function searchUrl({ base_url, page_size }: FhirPollConfig, type: string, since: string | undefined): string {
  const query = new URLSearchParams({ _sort: '_lastUpdated', _count: String(page_size ?? 100) });
  if (since !== undefined) query.set('_lastUpdated', `ge${since}`);
  return `${base_url.replace(/\/+$/, '')}/${type}?${query}`;
}

/** @throws ConnectorFailure for a next page on another server: our credentials belong to one server. */
function nextUrl(next: string, current: string, origin: string): string {
  const url = URL.canParse(next, current) ? new URL(next, current) : null;
  if (url?.origin === origin) return url.href;
  throw new ConnectorFailure('FOREIGN_LINK', 'The next page is on another server.');
}

function pageIn(body: Buffer): FhirPage {
  let page: FhirPage | null;
  try {
    page = fhirPageOf(parseStrictJson(body));
  } catch {
    page = null;
  }
  if (page === null) throw new ConnectorFailure('NOT_A_BUNDLE', "The server's answer is not a Bundle.");
  return page;
}

const isNoEarlier = (time: string | null, than: string | undefined): boolean =>
  time === null || than === undefined || (instantOf(time) ?? 0) >= (instantOf(than) ?? 0);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

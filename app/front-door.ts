import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { errorBody, JSON_TYPE } from '../rest-facade/plugins/errors.js';
import { requestIdOf } from '../rest-facade/plugins/request-id.js';
import { systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import { problem } from '../shared/errors/problem.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import { ALIVE, NOT_READY } from './health.js';
import { listenOn, urlOf } from './listen.js';

/** Requests that may wait for the end of a start. */
const MAX_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 1;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Time for the largest raw message over a slow line; disconnects idle senders. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The HTTP server of the facade. It listens from the beginning of a start: a port in use is found before anything is
 * written, and the health routes answer while the graph loads. Other requests wait for their routes.
 */
export class FrontDoor {
  readonly server: Server;
  readonly #requestId = requestIdOf(ulidIds(systemClock.nowMs, systemRandomness()));
  readonly #waiting: Waiting[] = [];
  #routes: RequestListener | null = null;

  private constructor() {
    const timeouts = { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
    this.server = createServer(timeouts, (request, response) => this.#take({ request, response }));
  }

  /** @throws StartRefused if the address cannot be listened on. */
  static async open(config: Pick<Config, 'port' | 'host'>): Promise<FrontDoor> {
    const door = new FrontDoor();
    await listenOn(door.server, config);
    return door;
  }

  /** `http://host:port`, with the port in use. */
  get url(): string {
    return urlOf(this.server);
  }

  /** Passes the waiting requests and all later ones to the routes. */
  serve(routes: RequestListener): void {
    this.#routes = routes;
    for (const { request, response } of this.#waiting.splice(0)) routes(request, response);
  }

  /** Answers the requests under way, then closes. Closing twice does nothing. */
  async close(): Promise<void> {
    for (const waiting of this.#waiting.splice(0)) this.#unavailable(waiting);
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    await closed;
  }

  #take(waiting: Waiting): void {
    const { request, response } = waiting;
    if (this.#routes !== null) this.#routes(request, response);
    else if (request.method === 'GET' && request.url === '/v1/healthz') this.#answer(waiting, 200, ALIVE);
    else if (request.method === 'GET' && request.url === '/v1/healthz/ready') this.#answer(waiting, 503, NOT_READY);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(waiting);
    else this.#unavailable(waiting);
  }

  #unavailable(waiting: Waiting): void {
    const away = problem('UNAVAILABLE');
    waiting.response.setHeader('retry-after', RETRY_AFTER_SECONDS);
    this.#answer(waiting, away.status, errorBody(away, this.#requestId(waiting.request)));
  }

  #answer({ request, response }: Waiting, status: number, body: object): void {
    response.writeHead(status, { 'content-type': JSON_TYPE, 'x-request-id': this.#requestId(request) });
    response.end(JSON.stringify(body));
  }
}

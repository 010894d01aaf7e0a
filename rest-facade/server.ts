import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { SharedBundles } from '../shared/contracts/bundles.js';
import type { Custody } from '../shared/contracts/custody.js';
import type { ExceptionDesk } from '../shared/contracts/exceptions.js';
import type { SharedNotices } from '../shared/contracts/holds.js';
import type { KeyAuthority, PersonSessions, TenantDirectory } from '../shared/contracts/tenants.js';
import type { MasterKey } from '../shared/crypto/master-key.js';
import { problem } from '../shared/errors/problem.js';
import type { Contract } from '../shared/graph/validator.js';
import type { Ids, Randomness } from '../shared/ids/ids.js';
import type { JsonValue } from '../shared/json/strict-json.js';
import { FailedLogins } from '../shared/limits/failed-logins.js';
import type { RateLimits } from '../shared/limits/rate-limits.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import type { WormStore } from '../shared/worm/worm-store.js';
import { ListCursors } from './list-cursor.js';
import { SIGN_IN_PATHS, serveSignIn } from './oidc/sign-in-routes.js';
import { openApiDocument } from './openapi/document.js';
import { CONSOLE_PATH, CONSOLE_PATHS, serveConsole } from './pages/console.js';
import { DOCS_PATH, DOCS_PATHS, serveDocs } from './pages/docs-site.js';
import { type StaticPage, servePage } from './pages/static-page.js';
import { API_DESCRIPTION_PATH, TRY_PAGE } from './pages/try-page.js';
import { logAccess } from './plugins/access-log.js';
import { takeJsonBodies, takeStreams } from './plugins/body.js';
import { answerError, answerUnreadable } from './plugins/errors.js';
import type { RunsOnce } from './plugins/idempotency.js';
import type { Identity } from './plugins/identity.js';
import { METRICS_PATH, serveMetrics } from './plugins/metrics.js';
import { countStray, refuseOtherMethods } from './plugins/other-methods.js';
import { requestIdOf } from './plugins/request-id.js';
import { sharedTokens } from './plugins/shared-tokens.js';
import { type Trace, takeTraces } from './plugins/trace.js';
import { discardUnreadBodies } from './plugins/unread-body.js';
import { type Pipeline, type RunOperation, registerRoute } from './register-route.js';
import type { JudgeDeps } from './replay-judge.js';
import type { Route, RouteServices } from './route.js';
import { makeRoutes } from './routes/index.js';

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | null;
    /** Code of the error that was answered, for the access log. */
    errorCode: string | null;
    idempotencyKey: string | undefined;
    /** The answer repeats a stored first answer. */
    replayed: boolean;
    trace: Trace | null;
  }
}

interface FacadeDeps {
  readonly config: Pick<Config, 'oidc' | 'limits' | 'rateLimitPerMinute' | 'failedLoginsPerMinute' | 'trustedProxies'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly masterKey: MasterKey;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
  readonly custody: Custody;
  readonly exceptions: ExceptionDesk;
  readonly personSessions: PersonSessions;
  readonly sharedBundles: SharedBundles;
  readonly sharedNotices: SharedNotices;
  readonly contract: Contract;
  /** Runs a named operation: the gateway's executor. */
  readonly run: RunOperation;
  readonly texts: RouteServices['texts'];
  readonly graphql: RouteServices['graphql'];
  readonly health: RouteServices['health'];
  readonly readiness: RouteServices['readiness'];
  readonly once: RunsOnce;
  /** Say what has been hidden since an answer was kept. */
  readonly facts: JudgeDeps['facts'];
  readonly documents: JudgeDeps['documents'];
  readonly limits: RateLimits;
  readonly metrics: Metrics;
  /** Limits the server to the routes of these areas. */
  readonly areas?: ReadonlySet<string>;
  /** A server that listens already; Fastify makes its own without it. */
  readonly serverFactory?: (routes: RequestListener) => Server;
  /** Further pages, next to the API description. */
  readonly pages?: readonly StaticPage[];
  /** Folder of the built console; absent in a process for analysts. */
  readonly console?: string;
  /** Folder of the built documentation; absent in a process for analysts. */
  readonly docs?: string;
}

// Longer than any identifier of the service.
const MAX_PARAM_LENGTH = 512;

/** Builds the HTTP server of `/v1` and `/graphql`: the route table with its checks and the error object. */
export function buildFacade(deps: FacadeDeps): FastifyInstance {
  /** Connections with an unanswered request. */
  const answering = new WeakSet<Socket>();
  const loggerInstance: FastifyBaseLogger = deps.logger;
  const server = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    // Address lists and limits depend on the caller's address, so only configured proxies are trusted.
    trustProxy: deps.config.trustedProxies.length > 0 ? [...deps.config.trustedProxies] : false,
    genReqId: requestIdOf(deps.ids),
    ...(deps.serverFactory ? { serverFactory: deps.serverFactory } : {}),
    clientErrorHandler: (_error, socket) => answerUnreadable(socket, deps.ids.next('request'), answering.has(socket)),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      answerError(error, request, reply, deps.logger);
    },
  });
  server.decorateRequest('identity', null);
  server.decorateRequest('errorCode', null);
  server.decorateRequest('idempotencyKey', undefined);
  server.decorateRequest('replayed', false);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  noteAnswering(server, answering);
  takeTraces(server, deps.randomness);
  logAccess(server, deps.logger, deps.metrics);
  discardUnreadBodies(server);
  server.setErrorHandler((error, request, reply) =>
    answerError(error instanceof Error ? error : new Error(String(error)), request, reply, deps.logger),
  );
  takeJsonBodies(server);
  const { areas } = deps;
  const routes = makeRoutes(deps.contract.document).filter((route) => areas?.has(route.area) ?? true);
  const failedLogins = new FailedLogins(deps.config.failedLoginsPerMinute, deps.clock);
  const pipeline: Pipeline = {
    ...deps,
    services: servicesOf(deps, failedLogins, routes),
    cursors: new ListCursors(deps.masterKey),
    requestsPerMinute: deps.config.rateLimitPerMinute,
    failedLogins,
  };
  server.setNotFoundHandler(async (request, reply) => {
    await countStray(pipeline, request, reply);
    throw problem('NOT_FOUND', { message: 'There is no such route.' });
  });
  for (const route of routes) {
    if (route.body?.kind !== 'stream') registerRoute(server, route, pipeline);
  }
  server.register(async (streaming) => {
    takeStreams(streaming);
    for (const route of routes) if (route.body?.kind === 'stream') registerRoute(streaming, route, pipeline);
  });
  // The page needs the description.
  const docs = routes.some(({ path }) => path === API_DESCRIPTION_PATH) ? [TRY_PAGE] : [];
  const pages = [...docs, ...(deps.pages ?? [])];
  for (const page of pages) servePage(server, page);
  serveMetrics(server, deps.metrics, pipeline);
  if (deps.console !== undefined) {
    serveConsole(server, deps.console);
    serveSignIn(server, { ...deps, oidc: deps.config.oidc });
  }
  if (deps.docs !== undefined) serveDocs(server, deps.docs);
  if (docs.length > 0) serveRoot(server, deps);
  const opened = docs.length > 0 ? [ROOT_PATH] : [];
  const places = [
    ...(deps.console === undefined ? [] : [...CONSOLE_PATHS, ...SIGN_IN_PATHS]),
    ...(deps.docs === undefined ? [] : DOCS_PATHS),
  ];
  const read = [METRICS_PATH, ...opened, ...pages.map(({ path }) => path), ...places].map(
    (path) => ({ method: 'GET', path }) as const,
  );
  refuseOtherMethods(server, [...routes, ...read], pipeline);
  return server;
}

const ROOT_PATH = '/';

/** Leads a person who opens the address of the service to the console, and any other client to the documentation. */
function serveRoot(server: FastifyInstance, { console, docs }: Pick<FacadeDeps, 'console' | 'docs'>): void {
  const described = docs === undefined ? TRY_PAGE.path : DOCS_PATH;
  server.get(ROOT_PATH, (request, reply) => {
    const reads = console !== undefined && (request.headers.accept ?? '').includes('text/html');
    return reply.header('vary', 'accept').redirect(reads ? CONSOLE_PATH : described);
  });
}

function noteAnswering(server: FastifyInstance, answering: WeakSet<Socket>): void {
  server.addHook('onRequest', (request, _reply, done) => {
    answering.add(request.raw.socket);
    done();
  });
  server.addHook('onResponse', (request, _reply, done) => {
    answering.delete(request.raw.socket);
    done();
  });
}

function servicesOf(deps: FacadeDeps, failedLogins: FailedLogins, routes: readonly Route[]): RouteServices {
  let document: JsonValue | undefined;
  return {
    limits: deps.config.limits,
    worm: deps.worm,
    masterKey: deps.masterKey,
    clock: deps.clock,
    custody: deps.custody,
    exceptions: deps.exceptions,
    sharedTokens: sharedTokens({ ...deps, failedLogins }),
    health: deps.health,
    readiness: deps.readiness,
    metrics: deps.metrics,
    graphql: deps.graphql,
    texts: deps.texts,
    openApi: () => {
      document ??= openApiDocument(routes, deps.contract.document);
      return document;
    },
  };
}

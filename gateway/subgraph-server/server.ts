import { type FastifyInstance, fastify } from 'fastify';
import type { RequestContext } from '../../shared/auth/context.js';
import type { InternalTokens } from '../../shared/auth/internal-token.js';
import { CallerLeft, CLIENT_LEFT } from '../../shared/errors/caller-left.js';
import { type Problem, problem } from '../../shared/errors/problem.js';
import { asProblem } from '../../shared/errors/unexpected.js';
import { leavingSignal } from '../../shared/http/leaving-signal.js';
import { isJsonObject } from '../../shared/json/strict-json.js';
import { describeUnexpected } from '../../shared/telemetry/describe-error.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { inSpan } from '../../shared/telemetry/spans.js';
import type { SubgraphSource } from '../subgraph-source.js';

interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, unknown>>;
}

interface RoleServerDeps {
  readonly logger: Logger;
  /** Liveness: 503 asks the orchestrator to restart the process. */
  readonly health: () => Promise<HealthReport>;
  /** Readiness: 503 while the process starts or stops. */
  readonly ready: () => Promise<HealthReport>;
  /** Prometheus text. */
  readonly metrics?: () => Promise<string>;
  /** The subgraph that this process serves; a worker serves none. */
  readonly graph?: GraphDoor;
}

export interface GraphDoor {
  readonly tokens: InternalTokens;
  /** Undefined until it is built. */
  readonly source: () => SubgraphSource | undefined;
  readonly maxBodyBytes: number;
}

// Longer than undici keeps an idle connection, so that it is never closed under a request.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const RETRY_AFTER_SECONDS = 1;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The HTTP server of a process without a facade: health for its orchestrator and, in front of a subgraph, `/graphql`
 * for the other processes of the deployment. It is not for clients, and without a valid internal token it answers 401.
 */
export function buildRoleServer(deps: RoleServerDeps): FastifyInstance {
  const server = fastify({
    logger: false,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof CallerLeft) return reply.code(CLIENT_LEFT).send();
    const found = clientFault(error) ?? asProblem(error);
    if (found.status >= 500) deps.logger.error({ ...describeUnexpected(error) }, 'a role server failed');
    const retryAfter = found.details.retryAfterSeconds;
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    const { code, message, status } = found;
    return reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify({ code, message, status }));
  });
  const report = (path: string, ask: () => Promise<HealthReport>): void => {
    server.get(path, async (_request, reply) => {
      const found = await ask();
      return reply.code(found.status === 'ok' ? 200 : 503).send(found);
    });
  };
  report('/v1/healthz', deps.health);
  report('/v1/healthz/ready', deps.ready);
  const { metrics } = deps;
  if (metrics)
    server.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4').send(await metrics()));
  if (deps.graph) serveGraph(server, deps.graph);
  return server;
}

/** Errors that Fastify itself raises: a body too large, a wrong length. */
function clientFault(error: unknown): Problem | undefined {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return problem('PAYLOAD_TOO_LARGE');
  if (status === 415) return problem('UNSUPPORTED_MEDIA_TYPE');
  return status === 400 ? problem('MALFORMED_BODY') : undefined;
}

function serveGraph(server: FastifyInstance, door: GraphDoor): void {
  // Fastify's parser rejects member names that an envelope may have, so the body is parsed here.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)));
    } catch {
      done(problem('MALFORMED_BODY'));
    }
  });
  const contexts = new WeakMap<object, RequestContext>();
  server.post('/graphql', {
    bodyLimit: door.maxBodyBytes,
    // Before the body is read, so that a caller without a token cannot make this process parse it.
    onRequest: async (request) => {
      const [, token] = /^Internal (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
      const context = token === undefined ? undefined : door.tokens.verify(token);
      if (!context) throw problem('UNAUTHENTICATED', { message: 'A valid internal token is required.' });
      contexts.set(request, context);
    },
    handler: async (request, reply) => {
      const source = door.source();
      if (!source) throw problem('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      const { query, variables } = callOf(request.body);
      const context = contexts.get(request);
      if (!context) throw problem('UNAUTHENTICATED');
      const { traceparent } = request.headers;
      const parent = typeof traceparent === 'string' ? traceparent : undefined;
      const stopped = query.startsWith('mutation') ? context : { ...context, signal: leavingSignal(reply.raw) };
      const span = { name: 'POST /graphql', kind: 'server', parent } as const;
      const result = await inSpan(span, () => source.fetch(query, variables, stopped));
      return reply.header('content-type', JSON_TYPE).send(JSON.stringify(result));
    },
  });
}

function callOf(body: unknown): { query: string; variables: Readonly<Record<string, unknown>> } {
  const { query, variables = {} } = isJsonObject(body) ? body : {};
  if (typeof query !== 'string' || !isJsonObject(variables)) throw problem('MALFORMED_BODY');
  return { query, variables };
}

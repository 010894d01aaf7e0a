import { type FastifyInstance, fastify } from 'fastify';
import type { RequestContext } from '../../shared/auth/context.js';
import type { InternalTokens } from '../../shared/auth/internal-token.js';
import { type Problem, problem } from '../../shared/errors/problem.js';
import { asProblem } from '../../shared/errors/unexpected.js';
import { describeUnexpected } from '../../shared/telemetry/describe-error.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { SubgraphSource } from '../subgraph-source.js';

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, unknown>>;
}

export interface RoleServerDeps {
  readonly logger: Logger;
  /** Whether the process lives: 503 asks the orchestrator to start it anew. */
  readonly health: () => Promise<HealthReport>;
  /** Whether it may be sent work now; not while it starts or stops. */
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

/** What Fastify itself refuses: a body too large, a length that does not fit. */
function clientFault(error: unknown): Problem | undefined {
  const status = (error as { readonly statusCode?: unknown }).statusCode;
  if (status === 413) return problem('PAYLOAD_TOO_LARGE');
  if (status === 415) return problem('UNSUPPORTED_MEDIA_TYPE');
  return status === 400 ? problem('MALFORMED_BODY') : undefined;
}

function serveGraph(server: FastifyInstance, door: GraphDoor): void {
  // Parsed here: Fastify's own parser refuses member names that an envelope may well hold.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, JSON.parse(text as string));
    } catch {
      done(problem('MALFORMED_BODY'));
    }
  });
  const contexts = new WeakMap<object, RequestContext>();
  server.post('/graphql', {
    bodyLimit: door.maxBodyBytes,
    // Before the body is read: who has no token cannot make this process parse anything.
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
      const result = await source.fetch(query, variables, contexts.get(request) as RequestContext);
      return reply.header('content-type', JSON_TYPE).send(JSON.stringify(result));
    },
  });
}

function callOf(body: unknown): { query: string; variables: Readonly<Record<string, unknown>> } {
  const { query, variables } = (body ?? {}) as { readonly query?: unknown; readonly variables?: unknown };
  if (typeof query !== 'string' || (variables !== undefined && (typeof variables !== 'object' || variables === null))) {
    throw problem('MALFORMED_BODY');
  }
  return { query, variables: (variables ?? {}) as Readonly<Record<string, unknown>> };
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../shared/errors/problem.js';
import { fastifyPath } from '../register-route.js';
import type { Route } from '../route.js';
import { authenticate, type IdentityDeps, presentsKey } from './identity.js';
import { limitRate, type RateLimitDeps } from './rate-limit.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Counts a request without a route for its key, so that the rate limit and its headers apply to every answer.
 *
 * @throws UNAUTHENTICATED, RATE_LIMITED
 */
export async function countStray(
  deps: IdentityDeps & RateLimitDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!presentsKey(request)) return;
  await limitRate(deps, await authenticate(deps, request), request, reply);
}

/** Answers 405 with `Allow` for another method on a known path (RFC 9110 section 15.5.6). */
export function refuseOtherMethods(
  server: FastifyInstance,
  routes: readonly Pick<Route, 'method' | 'path'>[],
  deps: IdentityDeps & RateLimitDeps,
): void {
  const taken = new Map<string, Set<string>>();
  for (const route of routes) {
    const methods = taken.get(route.path) ?? new Set<string>();
    methods.add(route.method);
    if (route.method === 'GET') methods.add('HEAD');
    taken.set(route.path, methods);
  }
  for (const [path, methods] of taken) {
    const allow = METHODS.filter((method) => methods.has(method)).join(', ');
    const refused = METHODS.filter((method) => !methods.has(method));
    server.route({
      method: refused,
      url: fastifyPath(path),
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        await countStray(deps, request, reply);
        throw problem('METHOD_NOT_ALLOWED');
      },
      handler: () => undefined,
    });
  }
}

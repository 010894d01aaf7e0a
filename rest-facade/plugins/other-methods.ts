import type { FastifyInstance, HTTPMethods } from 'fastify';
import { problem } from '../../shared/errors/problem.js';
import { fastifyPath } from '../register-route.js';
import type { Route } from '../route.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A known path under a method it does not take is 405 with `Allow`, not 404 (RFC 9110 section 15.5.6). */
export function refuseOtherMethods(server: FastifyInstance, routes: readonly Pick<Route, 'method' | 'path'>[]): void {
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
      method: refused as HTTPMethods[],
      url: fastifyPath(path),
      onRequest: (_request, reply) => {
        reply.header('allow', allow);
        throw problem('METHOD_NOT_ALLOWED');
      },
      handler: () => undefined,
    });
  }
}

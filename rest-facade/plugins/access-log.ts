import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/telemetry/logger.js';

/** One line a request: who, which route, what came of it. The route's pattern, never the address: ids are in there. */
export function logAccess(server: FastifyInstance, logger: Logger): void {
  server.addHook('onResponse', (request, reply, done) => {
    logger.info(
      {
        request_id: request.id,
        tenant_id: request.identity?.tenant?.tenant_id,
        key_id: request.identity?.principal.keyId,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ...(request.errorCode === null ? {} : { code: request.errorCode }),
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    done();
  });
}

import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the route, for metrics. */
    area?: string;
  }
}

/**
 * One line a request: who, which route, what came of it; its fields are docs/operations.md's table. The route's pattern,
 * never the address: identifiers are in there. The same is counted.
 */
export function logAccess(server: FastifyInstance, logger: Logger, metrics: Metrics): void {
  // Every member is named below and none is free: the search for what must not be logged costs ten times the line.
  const lines = logger.child({}, { redact: [] });
  server.addHook('onResponse', (request, reply, done) => {
    const { identity, trace, routeOptions } = request;
    const route = routeOptions.url ?? null;
    lines.info(
      {
        request_id: request.id,
        ...(trace === null ? {} : { trace_id: trace.traceId, span_id: trace.spanId }),
        tenant_id: identity?.tenant?.tenant_id,
        key_id: identity?.principal.keyId,
        method: request.method,
        route,
        status: reply.statusCode,
        ...(request.errorCode === null ? {} : { code: request.errorCode }),
        ...(request.replayed ? { replayed: true } : {}),
        duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    metrics.request({
      area: routeOptions.config.area ?? 'none',
      route: route ?? 'none',
      method: request.method,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
}

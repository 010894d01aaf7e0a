import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Area of the route, for metrics. */
    area?: string;
  }
}

/**
 * Logs one line per request, with the fields of docs/operations.md, and counts it. Logs the pattern of the route, never the
 * URL, because it contains identifiers.
 */
export function logAccess(server: FastifyInstance, logger: Logger, metrics: Metrics): void {
  // All members below are safe; searching them for secrets would cost ten times the line.
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

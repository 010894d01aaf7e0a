import { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOperator } from '../../shared/auth/context.js';
import { problem } from '../../shared/errors/problem.js';
import { METRICS_CONTENT_TYPE, type Metrics } from '../../shared/telemetry/metrics.js';
import { authenticate, type IdentityDeps } from './identity.js';

export const METRICS_PATH = '/metrics';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Headers of a proxy on this machine, which forwards requests of others. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * Serves `/metrics` for Prometheus: without a key from this machine, with an operator's key (as a bearer token) from
 * elsewhere. The figures cover all tenants, so no tenant's key may read them.
 */
export function serveMetrics(server: FastifyInstance, metrics: Metrics, identity: IdentityDeps): void {
  server.route({
    method: 'GET',
    url: METRICS_PATH,
    config: { area: 'metrics' },
    onRequest: async (request) => {
      if (isFromHere(request)) return;
      if (!isOperator(await authenticate(identity, request))) {
        throw problem('FORBIDDEN', { message: 'Metrics are for platform operators.' });
      }
    },
    handler: async (_request, reply) => reply.header('content-type', METRICS_CONTENT_TYPE).send(await metrics.text()),
  });
}

function isFromHere(request: FastifyRequest): boolean {
  if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  const address = request.socket.remoteAddress?.replace(/^::ffff:/i, '') ?? '';
  return address !== '' && LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

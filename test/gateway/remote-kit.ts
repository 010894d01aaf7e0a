import { LocalDataSource } from '../../gateway/local-data-source.js';
import { HttpDataSource } from '../../gateway/remote/http-data-source.js';
import { buildRoleServer } from '../../gateway/subgraph-server/server.js';
import type { RequestContext } from '../../shared/auth/context.js';
import { InternalTokens } from '../../shared/auth/internal-token.js';
import { effectiveScopes, type GrantedScope } from '../../shared/auth/scopes.js';
import { type Clock, systemClock } from '../../shared/clock/clock.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { recordingLogger } from '../support/fakes.js';
import { definition } from './tiny-subgraph.js';

export const SECRET = 'internal-secret-for-tests-0123456789';

export const contextWith = (...granted: GrantedScope[]): RequestContext => ({
  requestId: 'req_test',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  workId: 'wrk_test',
  tenantId: 'acme' as TenantId,
  principal: {
    keyId: 'key_1',
    keyName: 'k',
    actorId: 'act_1',
    tenantId: 'acme' as TenantId,
    grantedScopes: granted,
    scopes: effectiveScopes(granted),
  },
});

/** The tiny subgraph behind HTTP; `built: false` is one that still starts. */
export async function serveTiny({ port = 0, built = true, clock = systemClock as Clock } = {}) {
  const { logger } = recordingLogger();
  const { schema } = await buildGraph(definition);
  const source = new LocalDataSource(schema, logger, { validated: true });
  const server = buildRoleServer({
    logger,
    health: async () => ({ status: 'ok', checks: {} }),
    ready: async () => ({ status: 'degraded', checks: {} }),
    graph: {
      tokens: new InternalTokens(SECRET, clock),
      source: () => (built ? source : undefined),
      maxBodyBytes: 64 * 1024,
    },
  });
  return { url: await server.listen({ port, host: '127.0.0.1' }), close: () => server.close() };
}

/** The data source that a gateway would use for it. */
export function sourceOver(urls: readonly string[], { timeoutMs = 2_000, secret = SECRET } = {}): HttpDataSource {
  const { logger } = recordingLogger();
  const tokens = new InternalTokens(secret, systemClock);
  return new HttpDataSource({ name: 'ledger', urls, tokens, clock: systemClock, logger, timeoutMs });
}

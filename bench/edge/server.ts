import { repositoryFile } from '../../app/repository.js';
import { createExecutor } from '../../gateway/executor.js';
import { LocalDataSource } from '../../gateway/local-data-source.js';
import { HttpDataSource } from '../../gateway/remote/http-data-source.js';
import { buildRoleServer } from '../../gateway/subgraph-server/server.js';
import type { SubgraphSource } from '../../gateway/subgraph-source.js';
import { readSupergraph } from '../../gateway/supergraph-file.js';
import { readContract } from '../../rest-facade/contract.js';
import { routeOperations } from '../../rest-facade/operations.js';
import { buildFacade } from '../../rest-facade/server.js';
import { InternalTokens } from '../../shared/auth/internal-token.js';
import { systemClock } from '../../shared/clock/clock.js';
import { configFrom } from '../../shared/config/config.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { memoryRateLimits } from '../../shared/limits/rate-limits.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { prometheusMetrics } from '../../shared/telemetry/metrics.js';
import { type EdgeMessage, type EdgeRole, ROLE_ARGUMENT, URL_ARGUMENT } from './roles.js';
import { keyCheck, MASTER_KEY, standInLedger, tenants } from './stand-in.js';
import { serveStock } from './stock.js';

// One process of `npm run bench -- edge`, started by edge.ts, which measures its processor time from outside.

const SECRET = 'internal-secret-of-the-benchmark-0123456789';
const AT = { port: 0, host: '127.0.0.1' };
// Its lines go to /dev/null: writing them is part of the path.
const logger = createLogger('info');
const tokens = new InternalTokens(SECRET, systemClock);

async function serveSubgraph(): Promise<EdgeMessage> {
  const source = new LocalDataSource(await standInLedger(), logger, { validated: true });
  const well = async () => ({ status: 'ok', checks: {} }) as const;
  const graph = { tokens, source: () => source, maxBodyBytes: 1 << 24 };
  return { url: await buildRoleServer({ logger, health: well, ready: well, graph }).listen(AT), apiKey: '' };
}

async function serveFacade(ledger: SubgraphSource): Promise<EdgeMessage> {
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const unused: SubgraphSource = new LocalDataSource(await standInLedger(), logger);
  const executor = await createExecutor({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    operations: routeOperations(contract.document).filter(({ name }) => name === 'GetEvent'),
    dataSources: new Map([
      ['ledger', ledger],
      ['admin', unused],
    ]),
    logger,
  });
  const { check, apiKey } = keyCheck();
  const report = async () => ({ status: 'ok', checks: {} }) as const;
  const randomness = systemRandomness();
  const facade = buildFacade({
    config: configFrom({ SERVICE_RATE_LIMIT_PER_MINUTE: '10000000' }),
    clock: systemClock,
    ids: ulidIds(systemClock.nowMs, randomness),
    randomness,
    masterKey: MASTER_KEY,
    logger,
    keys: check,
    tenants,
    worm: { forTenant: () => Promise.reject(new Error('not measured')) as never, close: async () => undefined },
    contract,
    run: executor.run,
    graphql: async () => ({ status: 404, body: null }),
    once: { run: async () => Promise.reject(new Error('not measured')) },
    limits: memoryRateLimits(systemClock),
    metrics: prometheusMetrics(),
    health: report,
    readiness: report,
  });
  return { url: await facade.listen(AT), apiKey };
}

const SERVERS: Readonly<Record<EdgeRole, (subgraphUrl: string) => Promise<EdgeMessage>>> = {
  'in-process': async () => serveFacade(new LocalDataSource(await standInLedger(), logger)),
  distributed: async (url) =>
    serveFacade(
      new HttpDataSource({ name: 'ledger', urls: [url], tokens, clock: systemClock, logger, timeoutMs: 60_000 }),
    ),
  subgraph: serveSubgraph,
  stock: serveStock,
};

const role = process.argv[ROLE_ARGUMENT] as EdgeRole;
process.on('disconnect', () => process.exit(0));
process.send?.(await SERVERS[role](process.argv[URL_ARGUMENT] ?? ''));

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { repositoryFile } from '../../app/repository.js';
import { createExecutor } from '../../gateway/executor.js';
import { LocalDataSource } from '../../gateway/local-data-source.js';
import { HttpDataSource } from '../../gateway/remote/http-data-source.js';
import { buildRoleServer } from '../../gateway/subgraph-server/server.js';
import type { SubgraphSource } from '../../gateway/subgraph-source.js';
import { readContract } from '../../rest-facade/contract.js';
import { routeOperations } from '../../rest-facade/operations.js';
import type { RunOperation } from '../../rest-facade/register-route.js';
import { buildFacade } from '../../rest-facade/server.js';
import { InternalTokens } from '../../shared/auth/internal-token.js';
import { systemClock } from '../../shared/clock/clock.js';
import { configFrom } from '../../shared/config/config.js';
import type { Contract } from '../../shared/graph/validator.js';
import { systemRandomness, ulidIds } from '../../shared/ids/ids.js';
import { memoryRateLimits } from '../../shared/limits/rate-limits.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { prometheusMetrics } from '../../shared/telemetry/metrics.js';
import {
  ASK_CPU,
  type CpuMessage,
  DETAIL_ARGUMENT,
  type EdgeMessage,
  type EdgeRole,
  ROLE_ARGUMENT,
  type WireAnswer,
} from './roles.js';
import { keyCheck, MASTER_KEY, standInLedger, tenants } from './stand-in.js';
import { serveStock, stockRun } from './stock.js';

// One process of `npm run bench -- edge`. edge.ts starts it and asks for its processor time before and after.

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

const OPERATION = 'GetEvent';
const ledgerContract = (): Promise<Contract> => readContract(repositoryFile('rest-facade/contract.json'));
const operationsOf = ({ document }: Contract) => routeOperations(document).filter(({ name }) => name === OPERATION);

/** Makes the executor as the service does. */
async function executorRun(contract: Contract, ledger: SubgraphSource): Promise<RunOperation> {
  const unused: SubgraphSource = new LocalDataSource(await standInLedger(), logger);
  const executor = await createExecutor({
    supergraphSdl: await readFile(repositoryFile('gateway/supergraph.graphql'), 'utf8'),
    operations: operationsOf(contract),
    dataSources: new Map([
      ['ledger', ledger],
      ['admin', unused],
    ]),
    logger,
  });
  return executor.run;
}

const notMeasured = (): Promise<never> => Promise.reject(new Error('not measured'));

async function serveFacade(contract: Contract, run: RunOperation): Promise<EdgeMessage> {
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
    custody: { record: notMeasured },
    exceptions: { open: notMeasured, resolve: notMeasured, has: notMeasured },
    personSessions: { open: async () => null },
    sharedBundles: { open: async () => null, countDownload: async () => false },
    sharedNotices: { open: async () => null, acknowledge: async () => null },
    contract,
    run,
    graphql: async () => ({ status: 404, body: {} }),
    once: { run: async () => Promise.reject(new Error('not measured')) },
    limits: memoryRateLimits(systemClock),
    metrics: prometheusMetrics(),
    health: report,
    readiness: report,
    facts: { changedSince: async () => [] },
    documents: { list: async () => ({ items: [], next_cursor: null }) },
    texts: { maxBytes: 0, extract: async () => ({ fault: 'UNSUPPORTED' }) },
  });
  return { url: await facade.listen(AT), apiKey };
}

/** Measures the cost of HTTP alone: the same request and answer, no work in between. */
async function serveFloor(detail: string): Promise<EdgeMessage> {
  const { headers, body } = JSON.parse(detail) as WireAnswer;
  const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
  server.listen(AT.port, AT.host);
  await once(server, 'listening');
  return { url: `http://${AT.host}:${(server.address() as AddressInfo).port}`, apiKey: '' };
}

async function serveInProcess(): Promise<EdgeMessage> {
  const contract = await ledgerContract();
  const ledger = new LocalDataSource(await standInLedger(), logger);
  return serveFacade(contract, await executorRun(contract, ledger));
}

async function serveDistributed(url: string): Promise<EdgeMessage> {
  const contract = await ledgerContract();
  const options = { name: 'ledger', urls: [url], tokens, clock: systemClock, logger, timeoutMs: 60_000 } as const;
  return serveFacade(contract, await executorRun(contract, new HttpDataSource(options)));
}

async function serveFacadeOverStock(): Promise<EdgeMessage> {
  const contract = await ledgerContract();
  const documents = new Map(operationsOf(contract).map(({ name, document }) => [name, document]));
  return serveFacade(contract, await stockRun(documents));
}

const SERVERS: Readonly<Record<EdgeRole, (detail: string) => Promise<EdgeMessage>>> = {
  floor: serveFloor,
  'in-process': serveInProcess,
  distributed: serveDistributed,
  subgraph: serveSubgraph,
  stock: serveFacadeOverStock,
  'stock-bare': serveStock,
};

const role = process.argv[ROLE_ARGUMENT] as EdgeRole;
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message !== ASK_CPU) return;
  const { user, system } = process.cpuUsage();
  const answer: CpuMessage = { userUs: user, systemUs: system };
  process.send?.(answer);
});
process.send?.(await SERVERS[role](process.argv[DETAIL_ARGUMENT] ?? ''));

import { mkdir } from 'node:fs/promises';
import { AnalystEndpoint } from '../gateway/analyst.js';
import { createExecutor, type GraphExecutor } from '../gateway/executor.js';
import { localDataSources } from '../gateway/local-data-source.js';
import { readSupergraph } from '../gateway/supergraph-file.js';
import { readContract } from '../rest-facade/contract.js';
import { routeOperations } from '../rest-facade/operations.js';
import { buildFacade } from '../rest-facade/server.js';
import { systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { SubgraphDeps } from '../shared/contracts/deps.js';
import { connectDatabase } from '../shared/db/database.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import { createLogger, type Logger } from '../shared/telemetry/logger.js';
import { openMongoWormStore } from '../shared/worm/mongo-worm-store.js';
import { type AdminSubgraph, build as buildAdmin } from '../subgraphs/admin/index.js';
import { build as buildLedger } from '../subgraphs/ledger/index.js';
import { loadMasterKey, StartRefused } from './data-directory.js';
import { repositoryFile } from './repository.js';
import { openDatabase, type ResolvedDatabase } from './resolve-database.js';

/** A service that accepts requests. */
export interface RunningService {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  readonly databaseDescription: string;
  /** Only where this start made the first operator key: shown once. */
  readonly operatorKey: string | undefined;
  /** Answers what is under way, then closes everything in the reverse order of its making. */
  stop(): Promise<void>;
}

/** What tests and the testing kit replace; everything else is as in production. */
export interface StartOverrides {
  readonly clock?: SubgraphDeps['clock'];
  readonly logger?: Logger;
  /** A database whose start is under way already; it is stopped with the service. */
  readonly database?: Promise<ResolvedDatabase>;
}

/** Undoes the steps of a start, last first; a start that fails half-way leaves nothing running. */
class Closing {
  readonly #steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step();
  }
}

/** The composition root: the only place that knows every part. @throws StartRefused, ConfigError */
export async function startService(config: Config, overrides: StartOverrides = {}): Promise<RunningService> {
  const closing = new Closing();
  try {
    return await start(config, overrides, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

/** Builds every collection and index, and serves nothing. @returns which database it was. */
export async function prepareDatabase(config: Config): Promise<string> {
  const closing = new Closing();
  try {
    const { deps, databaseDescription } = await openStores(config, {}, createLogger(config.logLevel), closing);
    const ledger = await buildLedger(deps);
    closing.add(() => ledger.close());
    return databaseDescription;
  } finally {
    await closing.run();
  }
}

async function start(config: Config, overrides: StartOverrides, closing: Closing): Promise<RunningService> {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const { deps, admin, databaseDescription } = await openStores(config, overrides, logger, closing);
  const ledger = await buildLedger(deps);
  closing.add(() => ledger.close());
  const subgraphs: readonly Subgraph[] = [admin, ledger];

  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const executor = await createExecutor({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    operations: routeOperations(contract.document),
    dataSources: localDataSources(subgraphs, logger),
    logger,
  });
  closing.add(() => executor.stop());
  const operator = await admin.ensureOperatorKey();
  const url = await listen(config, deps, { admin, subgraphs, contract, executor }, closing);
  return { url, databaseDescription, operatorKey: operator.apiKey, stop: () => closing.run() };
}

/** evidence.md section 4: what a real deployment adds to the application's own write-once discipline. */
const ABSENT_ON_EMBEDDED = [
  'separate database credentials that forbid updates and deletes of write-once collections',
  'copies on other machines',
];

async function openStores(config: Config, overrides: StartOverrides, logger: Logger, closing: Closing) {
  const clock = overrides.clock ?? systemClock;
  const randomness = systemRandomness();
  const ids = ulidIds(() => clock.nowMs(), randomness);
  const resolved = await (overrides.database ?? openDatabase(config, clock, logger));
  closing.add(() => resolved.stop());
  logger.info({ database: resolved.description, engine: resolved.engine }, `database: ${resolved.description}`);
  if (resolved.engine === 'embedded')
    logger.warn({ absent: ABSENT_ON_EMBEDDED }, 'protections absent on this database');
  await mkdir(config.dataDir, { recursive: true });
  const masterKey = await loadMasterKey(config, randomness);
  const database = await connectDatabase(resolved.uri);
  closing.add(() => database.close());
  const base = { config, clock, ids, randomness, logger, database, masterKey };
  const admin = await buildAdmin(base);
  closing.add(() => admin.close());
  const worm = await openMongoWormStore({ ...base, limits: config.worm });
  closing.add(() => worm.close());
  const deps: SubgraphDeps = { ...base, worm, tenants: admin.tenants };
  return { deps, admin, databaseDescription: resolved.description };
}

interface Parts {
  readonly admin: AdminSubgraph;
  readonly subgraphs: readonly Subgraph[];
  readonly contract: Awaited<ReturnType<typeof readContract>>;
  readonly executor: GraphExecutor;
}

async function listen(config: Config, deps: SubgraphDeps, parts: Parts, closing: Closing): Promise<string> {
  const analysts = new AnalystEndpoint(parts.executor);
  const facade = buildFacade({
    ...deps,
    keys: parts.admin.keys,
    contract: parts.contract,
    run: (name, variables, context) => parts.executor.run(name, variables, context),
    graphql: (request, context) => analysts.answer(request, context),
    health: () => healthOf(parts.subgraphs, deps.logger),
  });
  closing.add(() => facade.close());
  return facade.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error;
    throw new StartRefused(`${config.host}:${config.port} cannot be listened on (${error.code})`);
  });
}

async function healthOf(subgraphs: readonly Subgraph[], logger: Logger) {
  const states = await Promise.all(
    subgraphs.map(async (subgraph) => {
      const failed = await subgraph.health().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed !== undefined)
        logger.warn({ ...describeUnexpected(failed), subgraph: subgraph.name }, 'a health check failed');
      return [subgraph.name, { status: failed === undefined ? 'ok' : 'failed' }] as const;
    }),
  );
  const ok = states.every(([, check]) => check.status === 'ok');
  return { status: ok ? 'ok' : 'degraded', checks: Object.fromEntries(states) } as const;
}

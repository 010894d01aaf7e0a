import { withMemberTokens } from '../gateway/ports/member-tokens.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import { systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import { createLogger, type Logger } from '../shared/telemetry/logger.js';
import { Closing } from './closing.js';
import { reachOthers, refuseUnshared, remoteHealth } from './distributed.js';
import type { FacadeParts } from './facade.js';
import { storeChecks, subgraphCheck } from './health.js';
import { Lifecycle, type StopOptions } from './lifecycle.js';
import { buildLocalSubgraphs, startBackgroundWork } from './local-subgraphs.js';
import { serveRole } from './role-server.js';
import { startSubgraph } from './start-subgraph.js';
import { openStores, type StartOverrides } from './stores.js';
import { EXISTING_SUBGRAPHS } from './subgraph-builders.js';

/** A service that accepts requests. */
export interface RunningService {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
  readonly databaseDescription: string;
  /** Only where this start made the first operator key: shown once. */
  readonly operatorKey: string | undefined;
  /** Answers what is under way, then closes everything in the reverse order of its making. */
  stop(options?: StopOptions): Promise<void>;
}

/** One start, on its way. */
interface Start {
  readonly config: Config;
  readonly overrides: StartOverrides;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly closing: Closing;
}

/** The composition root: the only place that knows every part. @throws StartRefused, ConfigError */
export async function startService(config: Config, overrides: StartOverrides = {}): Promise<RunningService> {
  const closing = new Closing();
  const lifecycle = new Lifecycle(closing);
  const logger = overrides.logger ?? createLogger(config.logLevel);
  try {
    const service = await startRole({ config, overrides, logger, lifecycle, closing });
    lifecycle.started();
    return service;
  } catch (error) {
    await closing.run();
    throw error;
  }
}

function startRole(start: Start): Promise<RunningService> {
  const { config, overrides, logger, lifecycle, closing } = start;
  const { mode } = config;
  if (mode === 'all') return startAll(start);
  refuseUnshared(config);
  if (mode === 'worker') return startWorker(start);
  if (mode === 'facade' || mode === 'gateway') return startFacade(start, mode);
  return startSubgraph(mode, config, overrides, logger, lifecycle, closing);
}

/** Everything in one process. */
async function startAll({ config, overrides, logger, lifecycle, closing }: Start): Promise<RunningService> {
  const stores = await openStores(config, overrides, logger, closing);
  const local = await buildLocalSubgraphs(stores, closing);
  const { admin, all, sources, deps, jobs } = local;
  startBackgroundWork(local, logger, closing);
  const operator = await admin.ensureOperatorKey();
  const url = await facadeOf(
    {
      deps,
      keys: withMemberTokens(admin.keys, subgraphClient(sources, 'members-graph'), 'service'),
      sources,
      health: all.map(subgraphCheck),
      lifecycle,
      serves: 'everything',
      queues: queuesOf(all),
      gauges: gaugesOf(all),
      figures: figuresOf(all),
      jobs,
    },
    closing,
  );
  const { databaseDescription } = stores;
  return { url, databaseDescription, operatorKey: operator.apiKey, stop: stopper(lifecycle) };
}

/** `/v1` (facade) or the analysts' `/graphql` (gateway) in front of subgraphs in other processes. */
async function startFacade(
  { config, overrides, logger, lifecycle, closing }: Start,
  mode: 'facade' | 'gateway',
): Promise<RunningService> {
  const clock = overrides.clock ?? systemClock;
  const { sources, keys, tenants, systemLedger, signingKeys, ledgerCounters, custody, exceptions } = reachOthers(
    config,
    EXISTING_SUBGRAPHS,
    { clock, logger },
    closing,
  );
  const { base, worm, databaseDescription } = await openStores(config, overrides, logger, closing);
  const deps = { ...base, worm, tenants, systemLedger, signingKeys, ledgerCounters, custody, exceptions };
  const health = remoteHealth(sources, mode);
  const serves = mode === 'gateway' ? 'graphql' : 'everything';
  const url = await facadeOf({ deps, keys, sources, health, lifecycle, serves }, closing);
  return { url, databaseDescription, operatorKey: undefined, stop: stopper(lifecycle) };
}

/** The work that no request asks for, with subgraphs of its own; two workers bear each other's company. */
async function startWorker({ config, overrides, logger, lifecycle, closing }: Start): Promise<RunningService> {
  const stores = await openStores(config, overrides, logger, closing);
  const local = await buildLocalSubgraphs(stores, closing);
  const { all, jobs } = local;
  const url = await serveRole(
    {
      config,
      logger,
      lifecycle,
      parts: () => [...storeChecks(stores.base.database, stores.worm), ...all.map(subgraphCheck)],
      queues: queuesOf(all),
      gauges: gaugesOf(all),
      figures: figuresOf(all),
      jobs,
    },
    closing,
  );
  startBackgroundWork(local, logger, closing);
  const { databaseDescription } = stores;
  return { url, databaseDescription, operatorKey: undefined, stop: stopper(lifecycle) };
}

const figuresOf = (subgraphs: readonly Subgraph[]) => () => subgraphs.flatMap((subgraph) => subgraph.figures?.() ?? []);

const gaugesOf = (subgraphs: readonly Subgraph[]) => subgraphs.flatMap(({ gauges = [] }) => gauges);
const queuesOf = (subgraphs: readonly Subgraph[]) => () => subgraphs.flatMap((subgraph) => subgraph.queues?.() ?? []);

/** Loaded where there is one: the gateway's packages take half a second that a worker or a subgraph need not spend. */
async function facadeOf(parts: FacadeParts, closing: Closing): Promise<string> {
  const { serveFacade } = await import('./facade.js');
  return serveFacade(parts, closing);
}

/** Who stops without a word holds the only client: a test, the demonstration. */
const AT_ONCE: StopOptions = { drainMs: 0 };

const stopper =
  (lifecycle: Lifecycle): RunningService['stop'] =>
  (options = AT_ONCE) =>
    lifecycle.stop(options);

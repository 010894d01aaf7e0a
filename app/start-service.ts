import { callerOver } from '../gateway/caller.js';
import { withMemberTokens } from '../gateway/ports/member-tokens.js';
import { systemClock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import { createLogger, type Logger } from '../shared/telemetry/logger.js';
import { prepareMeanwhile } from './before-database.js';
import { Closing } from './closing.js';
import { reachOthers, refuseUnshared, remoteHealth } from './distributed.js';
import type { FacadeParts } from './facade.js';
import { FrontDoor } from './front-door.js';
import { anchorsCheck, signerCheck, storeChecks, subgraphCheck } from './health.js';
import { Lifecycle, type StopOptions } from './lifecycle.js';
import { buildLocalSubgraphs, startBackgroundWork } from './local-subgraphs.js';
import { serveRole } from './role-server.js';
import { startSigner } from './start-signer.js';
import { startSubgraph } from './start-subgraph.js';
import { openStores, type StartOverrides } from './stores.js';
import { EXISTING_SUBGRAPHS } from './subgraph-builders.js';
import { startTelemetry } from './telemetry/start-telemetry.js';

/** A service that accepts requests. */
export interface RunningService {
  /** `http://host:port`, with the port in use. */
  readonly url: string;
  readonly databaseDescription: string;
  /** The first operator key, only at the start that created it. */
  readonly operatorKey: string | undefined;
  /** Answers requests under way, then closes all parts in reverse order. */
  stop(options?: StopOptions): Promise<void>;
}

/** A start in progress. */
export interface Start {
  readonly config: Config;
  readonly overrides: StartOverrides;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly closing: Closing;
}

/**
 * Composes all parts: the only place that knows each of them.
 *
 * @throws StartRefused, ConfigError
 */
export async function startService(config: Config, overrides: StartOverrides = {}): Promise<RunningService> {
  const closing = new Closing();
  const lifecycle = new Lifecycle(closing);
  const logger = overrides.logger ?? createLogger(config.logLevel);
  try {
    await startTelemetry(config, logger, closing);
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
  if (mode === 'signer') return startSigner(start);
  refuseUnshared(config);
  if (mode === 'worker') return startWorker(start);
  if (mode === 'facade' || mode === 'gateway') return startFacade(start, mode);
  return startSubgraph(mode, config, overrides, logger, lifecycle, closing);
}

/** Everything in one process. */
async function startAll(start: Start): Promise<RunningService> {
  const { config, overrides, logger, lifecycle, closing } = start;
  const door = await openDoor(start);
  await prepareMeanwhile();
  const { serveFacade } = await import('./facade.js');
  const stores = await openStores(config, overrides, logger, closing);
  const local = await buildLocalSubgraphs(stores, closing);
  const { admin, all, sources, deps, jobs } = local;
  startBackgroundWork(local, logger, closing);
  const operator = await admin.ensureOperatorKey();
  await serveFacade(
    {
      door,
      deps,
      keys: withMemberTokens(admin.keys, callerOver(sources, 'service')),
      sources,
      health: [
        ...all.map(subgraphCheck),
        ...checksOf(all),
        signerCheck(stores.signer),
        anchorsCheck(deps.ledgerRecords, deps.clock),
      ],
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
  return { url: door.url, databaseDescription, operatorKey: operator.apiKey, stop: stopper(lifecycle) };
}

/** `/v1` (facade) or the analysts' `/graphql` (gateway) in front of subgraphs in other processes. */
async function startFacade(start: Start, mode: 'facade' | 'gateway'): Promise<RunningService> {
  const { config, overrides, logger, lifecycle, closing } = start;
  const door = await openDoor(start);
  const clock = overrides.clock ?? systemClock;
  const { sources, keys, tokens: _, ...ports } = reachOthers(config, EXISTING_SUBGRAPHS, { clock, logger }, closing);
  const { base, worm, databaseDescription } = await openStores(config, overrides, logger, closing);
  const deps = { ...base, worm, ...ports };
  const health = [...remoteHealth(sources, mode), anchorsCheck(ports.ledgerRecords, clock)];
  const serves = mode === 'gateway' ? 'graphql' : 'everything';
  await facadeOf({ door, deps, keys, sources, health, lifecycle, serves }, closing);
  return { url: door.url, databaseDescription, operatorKey: undefined, stop: stopper(lifecycle) };
}

/** Starts a worker: background work on subgraphs in this process. Several workers may run. */
async function startWorker({ config, overrides, logger, lifecycle, closing }: Start): Promise<RunningService> {
  const stores = await openStores(config, overrides, logger, closing);
  const local = await buildLocalSubgraphs(stores, closing);
  const { all, jobs } = local;
  const url = await serveRole(
    {
      config,
      logger,
      lifecycle,
      parts: () => [
        ...storeChecks(stores.base.database, stores.worm),
        ...all.map(subgraphCheck),
        ...checksOf(all),
        signerCheck(stores.signer),
      ],
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

/** Opens the server before anything else. @throws StartRefused */
async function openDoor({ config, overrides, lifecycle, closing }: Start): Promise<FrontDoor> {
  const door = overrides.door ?? (await FrontDoor.open(config));
  lifecycle.watch(door.server);
  closing.add(() => door.close());
  return door;
}

const checksOf = (subgraphs: readonly Subgraph[]) => subgraphs.flatMap(({ checks = [] }) => checks);
const figuresOf = (subgraphs: readonly Subgraph[]) => () => subgraphs.flatMap((subgraph) => subgraph.figures?.() ?? []);

const gaugesOf = (subgraphs: readonly Subgraph[]) => subgraphs.flatMap(({ gauges = [] }) => gauges);
const queuesOf = (subgraphs: readonly Subgraph[]) => () => subgraphs.flatMap((subgraph) => subgraph.queues?.() ?? []);

/** Loaded where there is one: the gateway's packages take half a second that a worker or a subgraph need not spend. */
async function facadeOf(parts: FacadeParts, closing: Closing): Promise<void> {
  const { serveFacade } = await import('./facade.js');
  await serveFacade(parts, closing);
}

/** Who stops without a word holds the only client: a test, the demonstration. */
const AT_ONCE: StopOptions = { drainMs: 0 };

const stopper =
  (lifecycle: Lifecycle): RunningService['stop'] =>
  (options = AT_ONCE) =>
    lifecycle.stop(options);

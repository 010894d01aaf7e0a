import { AnalystEndpoint } from '../gateway/analyst.js';
import { createExecutor, type GraphExecutor } from '../gateway/executor.js';
import type { SubgraphSources } from '../gateway/subgraph-source.js';
import { readSupergraph } from '../gateway/supergraph-file.js';
import { readContract } from '../rest-facade/contract.js';
import { routeOperations } from '../rest-facade/operations.js';
import { graphiqlPage } from '../rest-facade/pages/graphiql.js';
import { verifyBundlePage } from '../rest-facade/pages/verify-bundle.js';
import { buildFacade } from '../rest-facade/server.js';
import type { SubgraphDeps } from '../shared/contracts/deps.js';
import type { KeyAuthority } from '../shared/contracts/tenants.js';
import type { Contract } from '../shared/graph/validator.js';
import { openIdempotency } from '../shared/idempotency/open.js';
import { memoryRateLimits, type RateLimits, sharedRateLimits } from '../shared/limits/rate-limits.js';
import type { Figure } from '../shared/telemetry/figures.js';
import type { JobsSource } from '../shared/telemetry/job-metrics.js';
import { type MetricGauge, type Metrics, prometheusMetrics, type QueueDepth } from '../shared/telemetry/metrics.js';
import type { Closing } from './closing.js';
import { type Checked, healthOf, lifecycleCheck, storeChecks } from './health.js';
import type { Lifecycle } from './lifecycle.js';
import { listenOn } from './listen.js';
import { repositoryFile } from './repository.js';

export interface FacadeParts {
  readonly deps: Omit<
    SubgraphDeps,
    | 'platformEvents'
    | 'checkpoints'
    | 'ledgerFeed'
    | 'ledgerRecords'
    | 'ledgerFollower'
    | 'jobs'
    | 'ledgerEvents'
    | 'eventReads'
    | 'linkedEvents'
    | 'tiedRecords'
    | 'documents'
    | 'holds'
    | 'ledgerDisposal'
    | 'sealedArchives'
    | 'bundleOrders'
    | 'erasures'
    | 'openRequests'
    | 'custodyReads'
    | 'ruleArtifacts'
    | 'memberDirectory'
    | 'consent'
    | 'eventRedactor'
    | 'redactions'
  >;
  readonly keys: KeyAuthority;
  readonly sources: SubgraphSources;
  /** What it needs beside database and write-once store: its subgraphs. */
  readonly health: readonly Checked[];
  readonly lifecycle: Lifecycle;
  /** What waits in this process. */
  readonly queues?: () => readonly QueueDepth[];
  readonly gauges?: readonly MetricGauge[];
  /** What its parts count. */
  readonly figures?: () => readonly Figure[];
  /** Work that this process does beside requests. */
  readonly jobs?: JobsSource;
  /** `graphql`: the analysts' endpoint and what belongs to the process itself, without `/v1`'s resources. */
  readonly serves: 'everything' | 'graphql';
}

/** Routes of a process that is there for analysts. */
const GATEWAY_AREAS: ReadonlySet<string> = new Set(['graphql', 'healthz', 'metrics']);

/** Loads the supergraph over `sources`, and serves `/v1` and `/graphql`. @returns where it listens. @throws StartRefused */
export async function serveFacade(parts: FacadeParts, closing: Closing): Promise<string> {
  const { deps, keys, lifecycle } = parts;
  const { config, logger } = deps;
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const executor = await loadGraph(parts, contract);
  const metrics = prometheusMetrics();
  closing.add(async () => metrics.stop());
  const once = await openIdempotency({ ...deps, count: (outcome) => metrics.idempotency(outcome) });
  closing.add(() => once.stop());
  metrics.gauge('idempotency_running', 'Requests with an Idempotency-Key under way.', () => once.running);
  if (parts.queues) metrics.queues(parts.queues);
  for (const { name, help, read } of parts.gauges ?? []) metrics.gauge(name, help, read);
  if (parts.figures) metrics.figures(parts.figures);
  if (parts.jobs) metrics.jobs(parts.jobs);
  const analysts = new AnalystEndpoint(executor);
  const health = [...storeChecks(deps.database, deps.worm), ...parts.health];
  const facade = buildFacade({
    ...deps,
    keys,
    contract,
    once,
    metrics,
    limits: await limitsOf(parts, metrics),
    run: (name, variables, context) => executor.run(name, variables, context),
    graphql: (request, context) => analysts.answer(request, context),
    health: () => healthOf(health, logger),
    readiness: () => healthOf([lifecycleCheck(lifecycle), ...health], logger),
    pages: [
      graphiqlPage(repositoryFile('rest-facade/pages/graphiql')),
      verifyBundlePage(repositoryFile('dist/verifier/page.js')),
    ],
    ...(parts.serves === 'graphql' ? { areas: GATEWAY_AREAS } : {}),
  });
  lifecycle.watch(facade.server);
  closing.add(() => facade.close());
  return listenOn(facade, config);
}

async function loadGraph(parts: FacadeParts, contract: Contract): Promise<GraphExecutor> {
  return createExecutor({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    operations: routeOperations(contract.document),
    dataSources: parts.sources,
    logger: parts.deps.logger,
  });
}

/** One process counts for itself; several count together, in the database. */
async function limitsOf({ deps }: FacadeParts, metrics: Metrics): Promise<RateLimits> {
  if (deps.config.mode === 'all') return memoryRateLimits(deps.clock);
  return sharedRateLimits({ ...deps, onStoreAway: () => metrics.limitStoreAway() });
}

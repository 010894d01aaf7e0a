import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { AnalystEndpoint } from '../gateway/analyst.js';
import { directOperationsIn } from '../gateway/direct-operations.js';
import { createExecutor, type GraphExecutor } from '../gateway/executor.js';
import type { SubgraphSources } from '../gateway/subgraph-source.js';
import { readContract } from '../rest-facade/contract.js';
import { routeOperations } from '../rest-facade/operations.js';
import { graphiqlPage } from '../rest-facade/pages/graphiql.js';
import { verifyBundlePage } from '../rest-facade/pages/verify-bundle.js';
import { buildFacade } from '../rest-facade/server.js';
import type { BaseDeps, SubgraphDeps } from '../shared/contracts/deps.js';
import type { KeyAuthority } from '../shared/contracts/tenants.js';
import type { Contract } from '../shared/graph/validator.js';
import { openIdempotency } from '../shared/idempotency/open.js';
import { memoryRateLimits, type RateLimits, sharedRateLimits } from '../shared/limits/rate-limits.js';
import type { Figure } from '../shared/telemetry/figures.js';
import type { JobsSource } from '../shared/telemetry/job-metrics.js';
import { type MetricGauge, type Metrics, prometheusMetrics, type QueueDepth } from '../shared/telemetry/metrics.js';
import type { Closing } from './closing.js';
import { lazyTexts } from './document-texts.js';
import type { FrontDoor } from './front-door.js';
import { type Checked, healthOf, lifecycleCheck, storeChecks } from './health.js';
import type { Lifecycle } from './lifecycle.js';
import { repositoryFile } from './repository.js';
import { sendMetrics } from './telemetry/start-telemetry.js';

export interface FacadeParts {
  readonly deps: BaseDeps &
    Pick<
      SubgraphDeps,
      | 'worm'
      | 'tenants'
      | 'systemLedger'
      | 'signingKeys'
      | 'ledgerCounters'
      | 'custody'
      | 'exceptions'
      | 'personSessions'
      | 'sharedBundles'
      | 'sharedNotices'
      | 'facts'
      | 'documents'
    >;
  readonly keys: KeyAuthority;
  readonly sources: SubgraphSources;
  /** Checks of its subgraphs, in addition to database and write-once store. */
  readonly health: readonly Checked[];
  readonly lifecycle: Lifecycle;
  /** Lengths of the queues in this process. */
  readonly queues?: () => readonly QueueDepth[];
  readonly gauges?: readonly MetricGauge[];
  /** Counters of its parts. */
  readonly figures?: () => readonly Figure[];
  /** Background work of this process. */
  readonly jobs?: JobsSource;
  /** `graphql` serves `/graphql`, health and metrics, without the resources of `/v1`. */
  readonly serves: 'everything' | 'graphql';
  /** The server that the process listens on since its start. */
  readonly door: FrontDoor;
}

/** Routes of a process for analysts. */
const GATEWAY_AREAS: ReadonlySet<string> = new Set(['graphql', 'healthz', 'metrics']);

/**
 * Loads the supergraph over `sources` and serves `/v1` and `/graphql` behind the front door.
 */
export async function serveFacade(parts: FacadeParts, closing: Closing): Promise<void> {
  const { deps, keys, lifecycle, door } = parts;
  const { logger } = deps;
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
  sendMetrics(() => metrics.families());
  const analysts = new AnalystEndpoint(executor);
  const health = [...storeChecks(deps.database, deps.worm), ...parts.health];
  let routes: RequestListener | undefined;
  const facade = buildFacade({
    ...deps,
    serverFactory: (listener) => {
      routes = listener;
      return door.server;
    },
    texts: lazyTexts(deps.config.redaction),
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
    ...(parts.serves === 'graphql'
      ? { areas: GATEWAY_AREAS }
      : { console: repositoryFile('dist/console'), docs: repositoryFile('dist/docs-site') }),
  });
  closing.add(() => facade.close());
  closing.add(() => door.close());
  await facade.ready();
  if (routes) door.serve(routes);
}

/** Reads the graph as `npm run compose` wrote it: composing and planning take seconds. A gateway plans at its start. */
async function loadGraph({ sources, deps, serves }: FacadeParts, contract: Contract): Promise<GraphExecutor> {
  const read = (path: string): Promise<string> => readFile(repositoryFile(path), 'utf8');
  const executor = await createExecutor({
    supergraphSdl: await read('gateway/supergraph.graphql'),
    operations: routeOperations(contract.document),
    direct: directOperationsIn(await read('gateway/direct-operations.json')),
    dataSources: sources,
    logger: deps.logger,
  });
  if (serves === 'graphql') await executor.planned();
  return executor;
}

/** One process counts for itself; several count together, in the database. */
async function limitsOf({ deps }: FacadeParts, metrics: Metrics): Promise<RateLimits> {
  if (deps.config.mode === 'all') return memoryRateLimits(deps.clock);
  return sharedRateLimits({ ...deps, onStoreAway: () => metrics.limitStoreAway() });
}

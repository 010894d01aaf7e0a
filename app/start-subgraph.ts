import { LocalDataSource } from '../gateway/local-data-source.js';
import type { SubgraphSource } from '../gateway/subgraph-source.js';
import { systemClock } from '../shared/clock/clock.js';
import { delay } from '../shared/clock/timers.js';
import type { Config } from '../shared/config/config.js';
import type { AdminDeps, SubgraphDeps } from '../shared/contracts/deps.js';
import { Problem } from '../shared/errors/problem.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { openJobs } from '../shared/jobs/open-jobs.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { AdminSubgraph } from '../subgraphs/admin/index.js';
import type { Closing } from './closing.js';
import { reachOthers } from './distributed.js';
import { subgraphCheck } from './health.js';
import type { Lifecycle } from './lifecycle.js';
import { serveRole } from './role-server.js';
import type { RunningService } from './start-service.js';
import { openStores, type StartOverrides } from './stores.js';
import { EXISTING_SUBGRAPHS, SUBGRAPH_BUILDERS } from './subgraph-builders.js';

const BUILD_RETRY_MS = 250;
const BUILD_DEADLINE_MS = 120_000;

/** Starts one subgraph as a process. It listens at once and is ready when the subgraph is built. */
export async function startSubgraph(
  name: SubgraphName,
  config: Config,
  overrides: StartOverrides,
  logger: Logger,
  lifecycle: Lifecycle,
  closing: Closing,
): Promise<RunningService> {
  const build = SUBGRAPH_BUILDERS.get(name);
  if (!build) throw new StartRefused(`there is no subgraph ${name} yet; there are ${EXISTING_SUBGRAPHS.join(', ')}`);
  const clock = overrides.clock ?? systemClock;
  const others = EXISTING_SUBGRAPHS.filter((other) => other !== name);
  const { sources, tokens, tenants, ...ports } = reachOthers(config, others, { clock, logger }, closing);
  let subgraph: Subgraph | undefined;
  let source: SubgraphSource | undefined;
  const graph = { tokens, source: () => source, maxBodyBytes: bodyLimit(config) };
  const url = await serveRole(
    {
      config,
      logger,
      lifecycle,
      parts: () => (subgraph ? [subgraphCheck(subgraph), ...(subgraph.checks ?? [])] : []),
      graph,
      queues: () => subgraph?.queues?.() ?? [],
    },
    closing,
  );

  const stores = await openStores(config, overrides, logger, closing);
  const jobs = await openJobs({ ...stores.base, exceptions: ports.exceptions }, { alone: false });
  const { base, worm, signer } = stores;
  const deps: SubgraphDeps & AdminDeps = { ...base, ...ports, worm, signer, tenants, jobs };
  const built = await whenOthersAnswer(() => build(deps), logger);
  closing.add(() => built.close());
  source = new LocalDataSource(built.schema, logger, { validated: true });
  sources.set(name, source);
  subgraph = built;
  const operator = isAdmin(built) ? await built.ensureOperatorKey() : undefined;
  const { databaseDescription } = stores;
  return {
    url,
    databaseDescription,
    operatorKey: operator?.apiKey,
    stop: (options = { drainMs: 0 }) => lifecycle.stop(options),
  };
}

const isAdmin = (subgraph: Subgraph): subgraph is AdminSubgraph => 'ensureOperatorKey' in subgraph;

/** Building may ask other subgraphs, which start at the same time: until they answer, it is tried again. */
async function whenOthersAnswer<T>(build: () => Promise<T>, logger: Logger): Promise<T> {
  const attempts = BUILD_DEADLINE_MS / BUILD_RETRY_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await build();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'UNAVAILABLE' || attempt >= attempts) throw error;
      if (attempt === 1) logger.info({ internal: error.details.internal }, 'waiting for other subgraphs');
      await delay(BUILD_RETRY_MS);
    }
  }
}

/** Room for the largest batch after the gateway has serialised it: quotes and escapes lengthen it. */
const bodyLimit = (config: Config): number => 2 * Math.max(config.limits.batchBytes, config.limits.rawJsonBytes);

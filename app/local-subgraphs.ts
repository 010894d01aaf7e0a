import { callerOver } from '../gateway/caller.js';
import { LocalDataSource } from '../gateway/local-data-source.js';
import { servicePorts } from '../gateway/ports/service-ports.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import { within } from '../shared/clock/timers.js';
import type { AdminDeps, SubgraphDeps } from '../shared/contracts/deps.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { type OpenJobs, openJobs } from '../shared/jobs/open-jobs.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type AdminSubgraph, build as buildAdmin } from '../subgraphs/admin/index.js';
import type { Closing } from './closing.js';
import type { Stores } from './stores.js';
import { SUBGRAPH_BUILDERS } from './subgraph-builders.js';

/** Every subgraph, running in this process. */
interface LocalSubgraphs {
  readonly admin: AdminSubgraph;
  readonly all: readonly Subgraph[];
  readonly sources: SubgraphSources;
  /** What the facade and other parts of this process may touch. */
  readonly deps: SubgraphDeps;
  readonly jobs: OpenJobs;
}

/** Builds all of them on one database; they reach each other through `sources`. @throws StartRefused */
export async function buildLocalSubgraphs(stores: Stores, closing: Closing): Promise<LocalSubgraphs> {
  const { worm, signer } = stores;
  const sources = new Map<SubgraphName, SubgraphSource>();
  const ports = servicePorts(callerOver(sources, 'service'), stores.base.ids);
  const { config } = stores.base;
  const alone = config.mode === 'all' && config.mongodbUri === null;
  const jobs = await openJobs({ ...stores.base, exceptions: ports.exceptions }, { alone });
  const base = { ...stores.base, ...ports, jobs };
  const keep = <T extends Subgraph>(subgraph: T): T => {
    closing.add(() => subgraph.close());
    sources.set(subgraph.name, new LocalDataSource(subgraph.schema, base.logger));
    return subgraph;
  };
  const admin = keep(await buildAdmin({ ...base, signer }));
  const { tenants, signingKeys } = admin;
  const deps: SubgraphDeps & AdminDeps = { ...base, worm, signer, tenants, signingKeys };
  const all: Subgraph[] = [admin];
  for (const [name, build] of SUBGRAPH_BUILDERS) if (name !== 'admin') all.push(keep(await build(deps)));
  return { admin, all, sources, deps, jobs };
}

/** Longest wait for background work at a stop. Another process repeats the rest: it is keyed and leased. */
const BACKGROUND_STOP_MS = 15_000;

/** Starts background work, and stops it before the subgraphs close. */
export function startBackgroundWork({ all, jobs }: LocalSubgraphs, logger: Logger, closing: Closing): void {
  const works = [...all.map((subgraph) => subgraph.background()), jobs.start()];
  closing.add(async () => {
    const stopped = Promise.all(works.map((work) => work.stop())).then(() => true);
    if (!(await within(BACKGROUND_STOP_MS, stopped)))
      logger.warn('background work did not end in time; another process takes it over');
  });
}

import { localDataSources } from '../gateway/local-data-source.js';
import { systemLedgerOver } from '../gateway/ports/system-ledger.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import type { SubgraphDeps } from '../shared/contracts/deps.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { type AdminSubgraph, build as buildAdmin } from '../subgraphs/admin/index.js';
import { build as buildLedger } from '../subgraphs/ledger/index.js';
import type { Closing } from './closing.js';
import type { Stores } from './stores.js';

/** Every subgraph, running in this process. */
export interface LocalSubgraphs {
  readonly admin: AdminSubgraph;
  readonly all: readonly Subgraph[];
  readonly sources: SubgraphSources;
  /** What the facade and other parts of this process may touch. */
  readonly deps: SubgraphDeps;
}

/** Builds all of them on one database; they reach each other through `sources`. @throws StartRefused */
export async function buildLocalSubgraphs(stores: Stores, closing: Closing): Promise<LocalSubgraphs> {
  const { worm } = stores;
  const sources = new Map<SubgraphName, SubgraphSource>();
  const base = { ...stores.base, systemLedger: systemLedgerOver(subgraphClient(sources, 'ledger'), 'admin') };
  const admin = await buildAdmin(base);
  closing.add(() => admin.close());
  const deps: SubgraphDeps = { ...base, worm, tenants: admin.tenants };
  const ledger = await buildLedger(deps);
  closing.add(() => ledger.close());
  const all: readonly Subgraph[] = [admin, ledger];
  for (const [name, source] of localDataSources(all, base.logger)) sources.set(name, source);
  return { admin, all, sources, deps };
}

/** Starts the work beside requests; it is stopped before the subgraphs are closed. */
export function startBackgroundWork(subgraphs: readonly Subgraph[], closing: Closing): void {
  const works = subgraphs.map((subgraph) => subgraph.background());
  closing.add(() => Promise.all(works.map((work) => work.stop())));
}

import type { AdminDeps, SubgraphDeps } from '../shared/contracts/deps.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { build as buildAdmin } from '../subgraphs/admin/index.js';
import { build as buildAdvocacy } from '../subgraphs/advocacy/index.js';
import { build as buildBundles } from '../subgraphs/bundles/index.js';
import { build as buildLedger } from '../subgraphs/ledger/index.js';
import { build as buildMembersGraph } from '../subgraphs/members-graph/index.js';
import { build as buildVault } from '../subgraphs/vault/index.js';

type Build = (deps: SubgraphDeps & AdminDeps) => Promise<Subgraph>;

/** How each subgraph that exists is built; a new one is its line here. The order is that of a start in one process. */
export const SUBGRAPH_BUILDERS: ReadonlyMap<SubgraphName, Build> = new Map<SubgraphName, Build>([
  ['admin', buildAdmin],
  ['ledger', buildLedger],
  ['vault', buildVault],
  ['bundles', buildBundles],
  ['advocacy', buildAdvocacy],
  ['members-graph', buildMembersGraph],
]);

export const EXISTING_SUBGRAPHS: readonly SubgraphName[] = [...SUBGRAPH_BUILDERS.keys()];

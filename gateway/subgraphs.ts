import type { SubgraphDefinition } from '../shared/graph/subgraph.js';
import { definition as admin } from '../subgraphs/admin/index.js';
import { definition as advocacy } from '../subgraphs/advocacy/index.js';
import { definition as bundles } from '../subgraphs/bundles/index.js';
import { definition as ledger } from '../subgraphs/ledger/index.js';
import { definition as membersGraph } from '../subgraphs/members-graph/index.js';
import { definition as vault } from '../subgraphs/vault/index.js';

/** Every subgraph; a new one needs its folder and its line here. */
export const SUBGRAPH_DEFINITIONS: readonly SubgraphDefinition[] = [
  ledger,
  vault,
  bundles,
  advocacy,
  membersGraph,
  admin,
];

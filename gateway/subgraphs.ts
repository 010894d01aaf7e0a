import type { SubgraphDefinition } from '../shared/graph/subgraph.js';
import { definition as admin } from '../subgraphs/admin/index.js';
import { definition as ledger } from '../subgraphs/ledger/index.js';

/** Every subgraph there is; a new one is its folder and its line here. */
export const SUBGRAPH_DEFINITIONS: readonly SubgraphDefinition[] = [ledger, admin];

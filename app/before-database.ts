import { SUBGRAPH_DEFINITIONS } from '../gateway/subgraphs.js';
import { describeGraph } from '../shared/graph/described.js';
import { shippedExplainData } from '../subgraphs/advocacy/index.js';

/**
 * Does the work of a start that needs no database, while the database starts in its process. Each result is computed once
 * in a process; the steps of the start find it there.
 */
export async function prepareMeanwhile(): Promise<void> {
  for (const definition of SUBGRAPH_DEFINITIONS) await describeGraph(definition);
  shippedExplainData();
}

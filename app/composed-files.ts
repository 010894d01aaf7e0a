import { composeGraph } from '../gateway/composition.js';
import type { DirectOperations } from '../gateway/direct-operations.js';
import { loadedGraph } from '../gateway/loaded-graph.js';
import { SUBGRAPH_DEFINITIONS } from '../gateway/subgraphs.js';
import { routeOperations } from '../rest-facade/operations.js';

/** A committed file that follows from the classes of the graph. */
interface ComposedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly content: string;
}

/**
 * Composes the supergraph, the REST contract and the list of operations that one subgraph answers alone.
 *
 * @throws CompositionError, OperationError
 */
export async function composedFiles(): Promise<readonly ComposedFile[]> {
  const { supergraphSdl, contract } = await composeGraph(SUBGRAPH_DEFINITIONS);
  const supergraph = `${supergraphSdl.trimEnd()}\n`;
  const { direct } = await loadedGraph(supergraph, routeOperations(contract));
  return [
    { path: 'gateway/supergraph.graphql', content: supergraph },
    { path: 'rest-facade/contract.json', content: textOf(contract) },
    { path: 'gateway/direct-operations.json', content: textOf(sorted(direct)) },
  ];
}

const sorted = ({ operations, ...direct }: DirectOperations): DirectOperations => ({
  ...direct,
  operations: Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1))),
});

const textOf = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

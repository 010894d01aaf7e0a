/** Every subgraph that the design has; each is a role that a process may run (SERVICE_MODE). */
export const SUBGRAPH_NAMES = ['ledger', 'vault', 'bundles', 'advocacy', 'members-graph', 'admin'] as const;
export type SubgraphName = (typeof SUBGRAPH_NAMES)[number];

export const isSubgraphName = (text: string): text is SubgraphName => SUBGRAPH_NAMES.some((name) => name === text);

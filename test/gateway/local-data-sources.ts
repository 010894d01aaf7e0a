import { LocalDataSource } from '../../gateway/local-data-source.js';
import type { SubgraphSources } from '../../gateway/subgraph-source.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import type { Logger } from '../../shared/telemetry/logger.js';

/** Data sources of subgraphs that run in this process. */
export const localDataSources = (
  subgraphs: readonly Pick<Subgraph, 'name' | 'schema'>[],
  logger: Logger,
): SubgraphSources => new Map(subgraphs.map(({ name, schema }) => [name, new LocalDataSource(schema, logger)]));

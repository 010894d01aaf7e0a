import type { GraphQLDataSource } from '@apollo/gateway';
import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';

/** A subgraph as the gateway and the ports reach it, in this process or over HTTP. */
export interface SubgraphSource extends GraphQLDataSource {
  /** Runs a document on the subgraph; errors are masked already. @throws Problem UNAVAILABLE when it cannot be reached. */
  fetch(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<Pick<ExecutionResult, 'data' | 'errors'>>;
}

/** The data source of each subgraph; filled while the subgraphs are built, so ports look one up when they use it. */
export type SubgraphSources = ReadonlyMap<SubgraphName, SubgraphSource>;

import type { ExecutionResult } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';

/** The members of the gateway's fetch that a source reads. */
export interface PlannedFetch {
  readonly request: { readonly query?: string; readonly variables?: Readonly<Record<string, unknown>> };
  readonly context: RequestContext;
}

export type FetchResult = Pick<ExecutionResult, 'data' | 'errors'>;

/** A subgraph as the gateway and the ports reach it, in this process or over HTTP. */
export interface SubgraphSource {
  /** Runs a fetch of a query plan. */
  process(fetch: PlannedFetch): Promise<FetchResult>;
  /** Runs a document on the subgraph; errors are masked already. @throws Problem UNAVAILABLE when it cannot be reached. */
  fetch(query: string, variables: Readonly<Record<string, unknown>>, context: RequestContext): Promise<FetchResult>;
}

/** The data source of each subgraph; filled while the subgraphs are built, so ports look one up when they use it. */
export type SubgraphSources = ReadonlyMap<SubgraphName, SubgraphSource>;

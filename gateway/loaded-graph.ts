import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../shared/config/no-telemetry.js';
import { sha256Hex } from '../shared/crypto/hash.js';
import { type DirectFetch, directFetchOf } from './direct-fetch.js';
import {
  hashOf,
  type NamedOperation,
  OperationError,
  type PreparedOperation,
  prepareOperations,
} from './operations.js';
import { PlanCache } from './plan-cache.js';
import type { SubgraphSource } from './subgraph-source.js';
import { isWarming, standInVariables, warmingContext } from './warming.js';

// What follows from the supergraph and the operations alone: most of the time that a start takes. Services that start in
// one process one after the other (the testing kit's, a suite's) have one graph between them; each call brings the
// subgraphs that it is to reach.

type GatewayExecutor = Awaited<ReturnType<ApolloGateway['load']>>['executor'];

/** What the gateway is given as its context: a caller's own, and where its subgraphs are. */
export interface RoutedContext {
  readonly context: RequestContext;
  readonly sources: ReadonlyMap<string, SubgraphSource>;
}

export interface LoadedGraph {
  readonly executor: GatewayExecutor;
  readonly apiSchema: GraphQLSchema;
  /** Of the supergraph: each must have a source. */
  readonly subgraphNames: readonly string[];
  readonly operations: ReadonlyMap<string, PreparedOperation>;
  /** Of those operations, by name, whose plan is nothing but one fetch. */
  readonly fetches: ReadonlyMap<string, DirectFetch>;
  /** What the gateway found worth a word. */
  readonly warnings: readonly string[];
}

let last: { readonly key: string; readonly graph: Promise<LoadedGraph> } | undefined;

/** Parses, validates and plans every operation; at the first call for a supergraph and its operations. @throws OperationError */
export async function loadedGraph(supergraphSdl: string, operations: readonly NamedOperation[]): Promise<LoadedGraph> {
  const key = sha256Hex(JSON.stringify([supergraphSdl, operations]));
  if (last?.key !== key) last = { key, graph: load(supergraphSdl, operations) };
  const { graph } = last;
  try {
    return await graph;
  } catch (error) {
    if (last?.graph === graph) last = undefined;
    throw error;
  }
}

async function load(supergraphSdl: string, named: readonly NamedOperation[]): Promise<LoadedGraph> {
  forbidGatewayTelemetry();
  const cache = new PlanCache(named.map(hashOf));
  const subgraphNames: string[] = [];
  const warnings: string[] = [];
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: logInto(warnings),
    queryPlannerConfig: { cache: cache as never },
    buildService: ({ name }) => {
      subgraphNames.push(name);
      return routedTo(name);
    },
  });
  let apiSchema: GraphQLSchema | undefined;
  gateway.onSchemaLoadOrUpdate((loaded) => {
    apiSchema = loaded.apiSchema;
  });
  const { executor } = await gateway.load();
  if (!apiSchema) throw new OperationError('the supergraph gave no API schema');
  const operations = prepareOperations(apiSchema, named);
  const fetches = new Map<string, DirectFetch>();
  for (const operation of operations.values()) {
    const variables = standInVariables(apiSchema, operation.operation);
    await executor(gatewayRequest(operation, variables, warmingContext(), apiSchema));
    const plan = await cache.get(operation.hash);
    if (!plan) throw new OperationError(`${operation.name} could not be planned`);
    const fetch = directFetchOf(plan, operation);
    if (fetch) fetches.set(operation.name, fetch);
  }
  return { executor, apiSchema, subgraphNames, operations, fetches, warnings };
}

/** The gateway's own chatter is for debugging; its errors are answered, and logged where they happened. */
const logInto = (warnings: string[]) => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (message?: unknown) => void warnings.push(String(message)),
  error: (message?: unknown) => void warnings.push(String(message)),
});

/** Hands each call to the subgraphs that it came with. */
const routedTo = (name: string): GraphQLDataSource => ({
  process: async (options) => {
    if (isWarming(options.context)) return { data: null } as Awaited<ReturnType<GraphQLDataSource['process']>>;
    const { sources, context } = options.context as unknown as RoutedContext;
    const source = sources.get(name);
    if (!source) throw new OperationError(`there is no subgraph ${name}`);
    return source.process({ ...options, context });
  },
});

const NO_CACHE = { get: async () => undefined, set: async () => undefined, delete: async () => false };
const NO_LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export const gatewayRequest = (
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  context: object,
  schema: GraphQLSchema,
): Parameters<GatewayExecutor>[0] =>
  ({
    // No operationName: the document holds one operation, and the gateway would hash the name again on every call.
    request: { query: operation.source, variables },
    document: operation.document,
    operation: operation.operation,
    operationName: operation.name,
    queryHash: operation.hash,
    source: operation.source,
    context,
    schema,
    cache: NO_CACHE,
    logger: NO_LOG,
    metrics: {},
  }) as unknown as Parameters<GatewayExecutor>[0];

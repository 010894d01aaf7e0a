import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import type { GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../shared/config/no-telemetry.js';
import { directSubgraphOf } from './direct-fetch.js';
import { type DirectOperations, keyOf } from './direct-operations.js';
import {
  hashOf,
  type NamedOperation,
  OperationError,
  type PreparedOperation,
  prepareOperations,
} from './operations.js';
import { PlanCache } from './plan-cache.js';
import type { FetchResult, SubgraphSource } from './subgraph-source.js';
import { isWarming, standInVariables, warmingContext } from './warming.js';

// What follows from the supergraph and the operations alone: most of the time that a start takes. Services that start in
// one process one after the other (the testing kit's, a suite's) have one graph between them; each call brings the
// subgraphs that it is to reach.

type GatewayExecutor = Awaited<ReturnType<ApolloGateway['load']>>['executor'];

/** The context of the gateway: the caller's context and the data sources of the subgraphs. */
interface RoutedContext {
  readonly context: RequestContext;
  readonly sources: ReadonlyMap<string, SubgraphSource>;
}

export interface LoadedGraph {
  /** Runs a prepared operation over the sources of the call. */
  execute(
    operation: PreparedOperation,
    variables: Readonly<Record<string, unknown>>,
    routed: RoutedContext,
  ): ReturnType<GatewayExecutor>;
  readonly apiSchema: GraphQLSchema;
  readonly operations: ReadonlyMap<string, PreparedOperation>;
  /** Operations with a plan of one fetch. */
  readonly direct: DirectOperations;
  /** Messages of the gateway. */
  readonly warnings: readonly string[];
}

let last: { readonly key: string; readonly graph: Promise<LoadedGraph> } | undefined;

/** Parses, validates and plans every operation; at the first call for a supergraph and its operations. @throws OperationError */
export async function loadedGraph(supergraphSdl: string, operations: readonly NamedOperation[]): Promise<LoadedGraph> {
  const key = keyOf(supergraphSdl, operations);
  if (last?.key !== key) last = { key, graph: load(supergraphSdl, operations, key) };
  const { graph } = last;
  try {
    return await graph;
  } catch (error) {
    if (last?.graph === graph) last = undefined;
    throw error;
  }
}

async function load(supergraphSdl: string, named: readonly NamedOperation[], key: string): Promise<LoadedGraph> {
  forbidGatewayTelemetry();
  const cache = new PlanCache(named.map(hashOf));
  const subgraphs: string[] = [];
  const warnings: string[] = [];
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: logInto(warnings),
    // The cache stores plans of any type; the planner's own type is not exported.
    queryPlannerConfig: { cache: cache as never },
    buildService: ({ name }) => {
      subgraphs.push(name);
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
  const direct: Record<string, string> = {};
  for (const operation of operations.values()) {
    const variables = standInVariables(apiSchema, operation.operation);
    await executor(gatewayRequest(operation, variables, warmingContext(), apiSchema));
    const plan = await cache.get(operation.hash);
    if (!plan) throw new OperationError(`${operation.name} could not be planned`);
    const subgraph = directSubgraphOf(plan, operation);
    if (subgraph !== null) direct[operation.name] = subgraph;
  }
  const schema = apiSchema;
  return {
    apiSchema,
    operations,
    direct: { key, subgraphs: subgraphs.sort(), operations: direct },
    warnings,
    execute: (operation, variables, routed) => executor(gatewayRequest(operation, variables, routed, schema)),
  };
}

/** The gateway's own chatter is for debugging; its errors are answered, and logged where they happened. */
const logInto = (warnings: string[]) => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (message?: unknown) => void warnings.push(String(message)),
  error: (message?: unknown) => void warnings.push(String(message)),
});

type Answered = Awaited<ReturnType<GraphQLDataSource['process']>>;

// The gateway's type asks for the HTTP answer too, which the executor does not read.
const answered = (result: FetchResult): Answered => result as Answered;

/** Hands each call to the subgraphs that it came with. */
const routedTo = (name: string): GraphQLDataSource => ({
  process: async ({ request, context: given }) => {
    if (isWarming(given)) return answered({ data: null });
    // Every request comes from `gatewayRequest`, with the context that the executor gives it.
    const { sources, context } = given as unknown as RoutedContext;
    const source = sources.get(name);
    if (!source) throw new OperationError(`there is no subgraph ${name}`);
    return answered(await source.process({ request, context }));
  },
});

const NO_CACHE = { get: async () => undefined, set: async () => undefined, delete: async () => false };
const NO_LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const gatewayRequest = (
  operation: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
  context: object,
  schema: GraphQLSchema,
): Parameters<GatewayExecutor>[0] =>
  // The members that the gateway's executor reads; its type asks for those of an HTTP server too.
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

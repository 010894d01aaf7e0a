import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { problem } from '../shared/errors/problem.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { DirectFetch } from './direct-fetch.js';
import { problemOf } from './errors.js';
import { gatewayRequest, type LoadedGraph, loadedGraph } from './loaded-graph.js';
import { type NamedOperation, OperationError, type PreparedOperation } from './operations.js';
import type { SubgraphSource } from './subgraph-source.js';

export type Variables = Readonly<Record<string, unknown>>;

/** The door to the graph: the facade's routes and the analysts' endpoint go through it and through nothing else. */
export interface GraphExecutor {
  /** Runs a trusted operation. @throws Problem: a resolver's own, or INTERNAL for anything unexpected. */
  run(operationName: string, variables: Variables, context: RequestContext): Promise<Readonly<Record<string, unknown>>>;
  /** Runs a prepared operation and hands out data and (masked) errors as they are. */
  execute(operation: PreparedOperation, variables: Variables, context: RequestContext): Promise<ExecutionResult>;
  trusted(operationName: string): PreparedOperation | undefined;
  /** What clients may see: no federation machinery. */
  readonly apiSchema: GraphQLSchema;
}

export interface ExecutorDeps {
  readonly supergraphSdl: string;
  readonly operations: readonly NamedOperation[];
  /** The data source of each subgraph that the supergraph names. */
  readonly dataSources: ReadonlyMap<string, SubgraphSource>;
  readonly logger: Logger;
}

type Result = Pick<ExecutionResult, 'data' | 'errors' | 'extensions'>;
/** One trusted operation. */
type RunOperation = (variables: Variables, context: RequestContext) => Promise<Result>;

/** Loads the supergraph, then parses, validates and plans every operation. @throws OperationError */
export async function createExecutor(deps: ExecutorDeps): Promise<GraphExecutor> {
  const { supergraphSdl, dataSources, logger } = deps;
  const graph = await loadedGraph(supergraphSdl, deps.operations);
  for (const gateway of graph.warnings) logger.warn({ gateway }, 'the gateway warns');
  const missing = graph.subgraphNames.find((name) => !dataSources.has(name));
  if (missing) throw new OperationError(`the supergraph names the subgraph ${missing}, which does not run`);
  const execute = executeWith(graph, dataSources);
  const runs = new Map<string, RunOperation>();
  for (const operation of graph.operations.values()) {
    const fetch = graph.fetches.get(operation.name);
    runs.set(operation.name, runDirectly(fetch, dataSources) ?? runPlanned(operation, execute));
  }
  return {
    apiSchema: graph.apiSchema,
    execute,
    trusted: (name) => graph.operations.get(name),
    run: runWith(runs, logger),
  };
}

function executeWith(
  { executor, apiSchema }: LoadedGraph,
  sources: ExecutorDeps['dataSources'],
): GraphExecutor['execute'] {
  return (operation, variables, context) =>
    executor(gatewayRequest(operation, variables, { context, sources }, apiSchema)) as Promise<ExecutionResult>;
}

const runPlanned =
  (operation: PreparedOperation, execute: GraphExecutor['execute']): RunOperation =>
  (variables, context) =>
    execute(operation, variables, context);

/** Straight to the subgraph where the plan is nothing but one fetch of the operation; undefined where it is more. */
function runDirectly(fetch: DirectFetch | undefined, sources: ExecutorDeps['dataSources']): RunOperation | undefined {
  const source = fetch && sources.get(fetch.subgraph);
  return source && ((variables, context) => source.fetch(fetch.document, variables, context));
}

function runWith(runs: ReadonlyMap<string, RunOperation>, logger: Logger): GraphExecutor['run'] {
  return async (name, variables, context) => {
    const run = runs.get(name);
    if (!run) throw new OperationError(`there is no operation ${name}`);
    const { data, errors, extensions } = await run(variables, context);
    if (errors?.[0]) throw problemOf(errors[0]);
    if (data == null || extensions?.['valueCompletion']) {
      logger.error({ request_id: context.requestId, operation: name }, 'the graph answered against its own schema');
      throw problem('INTERNAL', { internal: `${name}: no data` });
    }
    return data;
  };
}

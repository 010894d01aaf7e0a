import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { stopIfLeft } from '../shared/errors/caller-left.js';
import { problem } from '../shared/errors/problem.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type DirectOperations, keyOf } from './direct-operations.js';
import { problemOf } from './errors.js';
import type { LoadedGraph } from './loaded-graph.js';
import { type NamedOperation, OperationError, type PreparedOperation } from './operations.js';
import type { SubgraphSource } from './subgraph-source.js';

type Variables = Readonly<Record<string, unknown>>;

/** The door to the graph: the facade's routes and the analysts' endpoint go through it and through nothing else. */
export interface GraphExecutor {
  /** Runs a trusted operation. @throws Problem: a resolver's own, or INTERNAL for anything unexpected; CallerLeft */
  run(operationName: string, variables: Variables, context: RequestContext): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the planned graph. The first call of a process loads the planner, which takes a second of processor time. */
  planned(): Promise<PlannedGraph>;
}

/** The graph for documents of any kind. */
export interface PlannedGraph {
  /** Runs a prepared operation and hands out data and (masked) errors as they are. */
  execute(operation: PreparedOperation, variables: Variables, context: RequestContext): Promise<ExecutionResult>;
  trusted(operationName: string): PreparedOperation | undefined;
  /** The schema for clients, without federation fields. */
  readonly apiSchema: GraphQLSchema;
}

interface ExecutorDeps {
  readonly supergraphSdl: string;
  readonly operations: readonly NamedOperation[];
  /** Composed with the supergraph. The planner finds the direct operations if they are absent or of another graph. */
  readonly direct?: DirectOperations;
  /** The data source of each subgraph that the supergraph names. */
  readonly dataSources: ReadonlyMap<string, SubgraphSource>;
  readonly logger: Logger;
}

type Result = Pick<ExecutionResult, 'data' | 'errors' | 'extensions'>;
/** One trusted operation. */
type RunOperation = (variables: Variables, context: RequestContext) => Promise<Result>;

/**
 * Prepares every trusted operation: a direct one asks its subgraph, another one runs its plan.
 *
 * @throws OperationError
 */
export async function createExecutor(deps: ExecutorDeps): Promise<GraphExecutor> {
  const { supergraphSdl, operations, dataSources, logger } = deps;
  const load = async () => (await import('./loaded-graph.js')).loadedGraph(supergraphSdl, operations);
  const isCurrent = deps.direct?.key === keyOf(supergraphSdl, operations);
  const direct = isCurrent && deps.direct ? deps.direct : (await load()).direct;
  const missing = direct.subgraphs.find((name) => !dataSources.has(name));
  if (missing) throw new OperationError(`the supergraph names the subgraph ${missing}, which does not run`);
  const planned = once(async () => plannedGraph(await load(), deps));
  const runs = new Map<string, RunOperation>();
  for (const operation of operations) {
    runs.set(operation.name, runDirectly(operation, direct, dataSources) ?? runPlanned(operation.name, planned));
  }
  return { planned, run: runWith(runs, logger) };
}

/** Makes a value at the first call; a failed attempt is repeated by the next call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function plannedGraph(graph: LoadedGraph, { dataSources, logger }: ExecutorDeps): PlannedGraph {
  for (const gateway of graph.warnings) logger.warn({ gateway }, 'the gateway warns');
  return {
    apiSchema: graph.apiSchema,
    trusted: (name) => graph.operations.get(name),
    execute: (operation, variables, context) => graph.execute(operation, variables, { context, sources: dataSources }),
  };
}

const runPlanned =
  (name: string, planned: GraphExecutor['planned']): RunOperation =>
  async (variables, context) => {
    const { trusted, execute } = await planned();
    const operation = trusted(name);
    if (!operation) throw new OperationError(`${name} was not prepared`);
    return execute(operation, variables, context);
  };

/** Asks the subgraph directly if it answers the operation alone; undefined for another operation. */
function runDirectly(
  { name, document }: NamedOperation,
  direct: DirectOperations,
  sources: ExecutorDeps['dataSources'],
): RunOperation | undefined {
  const subgraph = direct.operations[name];
  const source = subgraph === undefined ? undefined : sources.get(subgraph);
  return source && ((variables, context) => source.fetch(document, variables, context));
}

function runWith(runs: ReadonlyMap<string, RunOperation>, logger: Logger): GraphExecutor['run'] {
  return async (name, variables, context) => {
    const run = runs.get(name);
    if (!run) throw new OperationError(`there is no operation ${name}`);
    const { data, errors, extensions } = await run(variables, context);
    if (errors?.[0]) {
      stopIfLeft(context.signal);
      throw problemOf(errors[0]);
    }
    if (data == null || extensions?.['valueCompletion']) {
      logger.error({ request_id: context.requestId, operation: name }, 'the graph answered against its own schema');
      throw problem('INTERNAL', { internal: `${name}: no data` });
    }
    return data;
  };
}

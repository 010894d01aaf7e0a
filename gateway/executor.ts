import { ApolloGateway } from '@apollo/gateway';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../shared/config/no-telemetry.js';
import { problem } from '../shared/errors/problem.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { directFetchOf } from './direct-fetch.js';
import { problemOf } from './errors.js';
import {
  hashOf,
  type NamedOperation,
  OperationError,
  type PreparedOperation,
  prepareOperations,
} from './operations.js';
import { PlanCache } from './plan-cache.js';
import type { SubgraphSource } from './subgraph-source.js';
import { standInVariables, warmingContext } from './warming.js';

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
  stop(): Promise<void>;
}

export interface ExecutorDeps {
  readonly supergraphSdl: string;
  readonly operations: readonly NamedOperation[];
  /** The data source of each subgraph that the supergraph names. */
  readonly dataSources: ReadonlyMap<string, SubgraphSource>;
  readonly logger: Logger;
}

type GatewayExecutor = Awaited<ReturnType<ApolloGateway['load']>>['executor'];
type GatewayRequest = Parameters<GatewayExecutor>[0];
type Plans = PlanCache<object>;
type Result = Pick<ExecutionResult, 'data' | 'errors' | 'extensions'>;
/** One trusted operation. */
type RunOperation = (variables: Variables, context: RequestContext) => Promise<Result>;

/** Loads the supergraph, then parses, validates, plans and warms every operation. @throws OperationError */
export async function createExecutor(deps: ExecutorDeps): Promise<GraphExecutor> {
  forbidGatewayTelemetry();
  const plans: Plans = new PlanCache(deps.operations.map(hashOf));
  const { gateway, executor, apiSchema } = await loadGateway(deps, plans);
  const operations = prepareOperations(apiSchema, deps.operations);
  const execute = executeWith(executor, apiSchema, deps.logger);
  const runs = new Map<string, RunOperation>();
  for (const operation of operations.values()) {
    const context = warmingContext() as unknown as RequestContext;
    await execute(operation, standInVariables(apiSchema, operation.operation), context);
    const plan = await plans.get(operation.hash);
    if (!plan) throw new OperationError(`${operation.name} could not be planned`);
    runs.set(operation.name, runDirectly(plan, operation, deps.dataSources) ?? runPlanned(operation, execute));
  }
  return {
    apiSchema,
    execute,
    trusted: (name) => operations.get(name),
    run: runWith(runs, deps.logger),
    stop: () => gateway.stop(),
  };
}

interface LoadedGateway {
  readonly gateway: ApolloGateway;
  readonly executor: GatewayExecutor;
  readonly apiSchema: GraphQLSchema;
}

async function loadGateway({ supergraphSdl, dataSources, logger }: ExecutorDeps, plans: Plans): Promise<LoadedGateway> {
  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: quiet(logger),
    queryPlannerConfig: { cache: plans as never },
    buildService: ({ name }) => {
      const source = dataSources.get(name);
      if (!source) throw new OperationError(`the supergraph names the subgraph ${name}, which does not run`);
      return source;
    },
  });
  let apiSchema: GraphQLSchema | undefined;
  gateway.onSchemaLoadOrUpdate((loaded) => {
    apiSchema = loaded.apiSchema;
  });
  const { executor } = await gateway.load();
  if (!apiSchema) throw new OperationError('the supergraph gave no API schema');
  return { gateway, executor, apiSchema };
}

/** The gateway's own chatter is for debugging; its errors are answered, and logged where they happened. */
const quiet = (logger: Logger) => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (message?: unknown) => logger.warn({ gateway: String(message) }, 'the gateway warns'),
  error: () => logger.error('the gateway reports an error'),
});

const NO_CACHE = { get: async () => undefined, set: async () => undefined, delete: async () => false };

function executeWith(executor: GatewayExecutor, schema: GraphQLSchema, logger: Logger): GraphExecutor['execute'] {
  return (operation, variables, context) =>
    executor({
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
      logger,
      metrics: {},
    } as unknown as GatewayRequest) as Promise<ExecutionResult>;
}

const runPlanned =
  (operation: PreparedOperation, execute: GraphExecutor['execute']): RunOperation =>
  (variables, context) =>
    execute(operation, variables, context);

/** Straight to the subgraph where the plan is nothing but one fetch of the operation; undefined where it is more. */
function runDirectly(
  plan: object,
  operation: PreparedOperation,
  sources: ExecutorDeps['dataSources'],
): RunOperation | undefined {
  const fetch = directFetchOf(plan, operation);
  const source = fetch === null ? undefined : sources.get(fetch.subgraph);
  if (fetch === null || source === undefined) return undefined;
  return (variables, context) => source.fetch(fetch.document, variables, context);
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

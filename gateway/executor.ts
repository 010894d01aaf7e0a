import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { forbidGatewayTelemetry } from '../shared/config/no-telemetry.js';
import { problem } from '../shared/errors/problem.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { problemOf } from './errors.js';
import {
  hashOf,
  type NamedOperation,
  OperationError,
  type PreparedOperation,
  prepareOperations,
} from './operations.js';
import { PlanCache } from './plan-cache.js';
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
  readonly dataSources: ReadonlyMap<string, GraphQLDataSource>;
  readonly logger: Logger;
}

type GatewayExecutor = Awaited<ReturnType<ApolloGateway['load']>>['executor'];
type GatewayRequest = Parameters<GatewayExecutor>[0];
type Plans = PlanCache<object>;

/** Loads the supergraph, then parses, validates, plans and warms every operation. @throws OperationError */
export async function createExecutor(deps: ExecutorDeps): Promise<GraphExecutor> {
  forbidGatewayTelemetry();
  const plans: Plans = new PlanCache(deps.operations.map(hashOf));
  const { gateway, executor, apiSchema } = await loadGateway(deps, plans);
  const operations = prepareOperations(apiSchema, deps.operations);
  const execute = executeWith(executor, apiSchema, deps.logger);
  for (const operation of operations.values()) {
    const context = warmingContext() as unknown as RequestContext;
    await execute(operation, standInVariables(apiSchema, operation.operation), context);
    if (!plans.has(operation.hash)) throw new OperationError(`${operation.name} could not be planned`);
  }
  return {
    apiSchema,
    execute,
    trusted: (name) => operations.get(name),
    run: runWith(operations, execute, deps.logger),
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

function runWith(
  operations: ReadonlyMap<string, PreparedOperation>,
  execute: GraphExecutor['execute'],
  logger: Logger,
): GraphExecutor['run'] {
  return async (name, variables, context) => {
    const operation = operations.get(name);
    if (!operation) throw new OperationError(`there is no operation ${name}`);
    const { data, errors, extensions } = await execute(operation, variables, context);
    if (errors?.[0]) throw problemOf(errors[0]);
    if (data == null || extensions?.['valueCompletion']) {
      logger.error({ request_id: context.requestId, operation: name }, 'the graph answered against its own schema');
      throw problem('INTERNAL', { internal: `${name}: no data` });
    }
    return data;
  };
}

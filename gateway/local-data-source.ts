import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import { stopIfLeft } from '../shared/errors/caller-left.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { inSpan } from '../shared/telemetry/spans.js';
import { Documents } from './documents.js';
import { maskedError } from './errors.js';
import { operationSpan } from './operation-span.js';
import type { PlannedFetch, SubgraphSource } from './subgraph-source.js';

/**
 * A subgraph in this process. The stock data source parses and validates every fetch again; here a document is parsed
 * once and the planner, which wrote it from a validated operation, is trusted.
 */
export class LocalDataSource implements SubgraphSource {
  readonly #schema: GraphQLSchema;
  readonly #logger: Logger;
  readonly #documents: Documents;

  constructor(schema: GraphQLSchema, logger: Logger, { validated = false } = {}) {
    this.#schema = schema;
    this.#logger = logger;
    this.#documents = new Documents(schema, { validated });
  }

  process({ request: { query = '', variables = {} }, context }: PlannedFetch): Promise<ExecutionResult> {
    return this.fetch(query, variables, context);
  }

  async fetch(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<ExecutionResult> {
    stopIfLeft(context.signal);
    return inSpan(operationSpan(query), async (span) => {
      const result = await execute({
        schema: this.#schema,
        document: this.#documents.get(query),
        contextValue: context,
        variableValues: variables,
      });
      if (result.errors) span?.set({ 'error.type': 'graphql' });
      const masked = this.#masked(result, context);
      if (result.errors) stopIfLeft(context.signal);
      return masked;
    });
  }

  #masked(result: ExecutionResult, context: RequestContext): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => maskedError(error, context.requestId, this.#logger)) };
  }
}

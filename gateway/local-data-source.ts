import type { GraphQLDataSource, GraphQLDataSourceProcessOptions } from '@apollo/gateway';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, parse } from 'graphql';
import type { RequestContext } from '../shared/auth/context.js';
import type { Subgraph } from '../shared/graph/subgraph.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { maskedError } from './errors.js';
import { Lru } from './lru.js';
import type { SubgraphSource, SubgraphSources } from './subgraph-source.js';
import { isWarming } from './warming.js';

type Response = Awaited<ReturnType<GraphQLDataSource['process']>>;

/** Fetch documents come from our planner, but an analyst's query varies them: bounded. */
const MAX_DOCUMENTS = 2_000;

/**
 * A subgraph in this process. The stock data source parses and validates every fetch again; here a document is parsed
 * once and the planner, which wrote it from a validated operation, is trusted.
 */
export class LocalDataSource implements SubgraphSource {
  readonly #schema: GraphQLSchema;
  readonly #logger: Logger;
  readonly #documents = new Lru<string, DocumentNode>(MAX_DOCUMENTS);

  constructor(schema: GraphQLSchema, logger: Logger) {
    this.#schema = schema;
    this.#logger = logger;
  }

  async process(options: GraphQLDataSourceProcessOptions): Promise<Response> {
    const { query = '', variables } = options.request;
    if (isWarming(options.context)) {
      this.#parsed(query);
      return { data: null } as Response;
    }
    return (await this.fetch(query, variables ?? {}, options.context as RequestContext)) as Response;
  }

  async fetch(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<ExecutionResult> {
    const result = await execute({
      schema: this.#schema,
      document: this.#parsed(query),
      contextValue: context,
      variableValues: variables,
    });
    return this.#masked(result, context);
  }

  #parsed(query: string): DocumentNode {
    const known = this.#documents.get(query);
    if (known) return known;
    const document = parse(query, { noLocation: true });
    this.#documents.set(query, document);
    return document;
  }

  #masked(result: ExecutionResult, context: RequestContext): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => maskedError(error, context.requestId, this.#logger)) };
  }
}

/** Data sources of subgraphs that run in this process. */
export const localDataSources = (
  subgraphs: readonly Pick<Subgraph, 'name' | 'schema'>[],
  logger: Logger,
): SubgraphSources => new Map(subgraphs.map(({ name, schema }) => [name, new LocalDataSource(schema, logger)]));

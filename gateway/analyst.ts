import {
  type DocumentNode,
  GraphQLError,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { type RequestContext, requireScope } from '../shared/auth/context.js';
import { Lru } from '../shared/cache/lru.js';
import { sha256Hex } from '../shared/crypto/hash.js';
import { stopIfLeft } from '../shared/errors/caller-left.js';
import type { Problem } from '../shared/errors/problem.js';
import { enforceDemand } from './demand.js';
import { problemOf } from './errors.js';
import type { GraphExecutor, PlannedGraph } from './executor.js';
import { AD_HOC_LIMITS, enforceLimits, refuseInexactNumbers } from './limits.js';
import type { PreparedOperation } from './operations.js';

/** Body of `POST /graphql`, its shape already checked. */
interface AnalystRequest {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

interface AnalystAnswer {
  readonly status: 200 | 400;
  readonly body: { readonly data?: unknown; readonly errors?: readonly AnalystError[] };
  /** Cost of a caller's own query that was run. */
  readonly cost?: number;
}

interface AnalystError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

const MAX_PREPARED = 200;
const MAX_FAULTS = 20;

/**
 * `/graphql` under the same keys and scopes as REST. Trusted operations of the facade run for anyone who may run their
 * route; any other query needs `graph:query` and must stay within AD_HOC_LIMITS. It reads only, and every field
 * authorises again.
 */
export class AnalystEndpoint {
  readonly #executor: GraphExecutor;
  readonly #prepared = new Lru<string, PreparedOperation>(MAX_PREPARED);

  constructor(executor: GraphExecutor) {
    this.#executor = executor;
  }

  /** @throws FORBIDDEN for an ad-hoc query without the scope; faults of the query itself are GraphQL errors. */
  async answer(request: AnalystRequest, context: RequestContext): Promise<AnalystAnswer> {
    const graph = await this.#executor.planned();
    const trusted = trustedIn(graph, request);
    if (!trusted) requireScope(context, 'graph:query');
    let operation: PreparedOperation;
    let cost: number | undefined;
    try {
      operation = trusted ?? this.#prepare(graph, request);
      refuseChanges(operation);
      const variables = variablesOf(graph, operation, request.variables ?? {});
      if (!trusted) cost = demandOf(graph.apiSchema, operation, variables);
    } catch (error) {
      if (error instanceof QueryFaults) return refusal(error.faults, context);
      throw error;
    }
    const { data, errors } = await graph.execute(operation, request.variables ?? {}, context);
    if (errors) stopIfLeft(context.signal);
    return {
      status: 200,
      ...(cost === undefined ? {} : { cost }),
      body: {
        ...(errors ? { errors: errors.map((error) => errorBody(problemOf(error), error.path, context)) } : {}),
        data,
      },
    };
  }

  #prepare({ apiSchema }: PlannedGraph, { query, operationName }: AnalystRequest): PreparedOperation {
    if (query === undefined) throw new QueryFaults([new GraphQLError('There is no such named operation.')]);
    const key = sha256Hex(`${operationName ?? ''}\n${query}`);
    const known = this.#prepared.get(key);
    if (known) return known;
    const document = parsed(query);
    const operation = chosen(document, operationName);
    if (operation.operation === 'subscription')
      throw new QueryFaults([new GraphQLError('There are no subscriptions.')]);
    try {
      enforceLimits(document, operation);
      refuseInexactNumbers(document);
    } catch (error) {
      throw faultOf(error);
    }
    const faults = validate(apiSchema, document, specifiedRules, { maxErrors: MAX_FAULTS });
    if (faults.length > 0) throw new QueryFaults(faults);
    const single = withOneOperation(document, operation);
    const prepared = { name: operation.name?.value ?? 'AdHoc', source: query, document: single, operation, hash: key };
    this.#prepared.set(key, prepared);
    return prepared;
  }
}

function trustedIn({ trusted }: PlannedGraph, { query, operationName }: AnalystRequest): PreparedOperation | undefined {
  if (operationName === undefined) return undefined;
  const operation = trusted(operationName);
  return operation && (query === undefined || query === operation.source) ? operation : undefined;
}

/** With their defaults. The engine's text for a wrong variable repeats the whole value; ours names the variable. */
function variablesOf(
  { apiSchema }: PlannedGraph,
  { operation }: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const definition of operation.variableDefinitions ?? []) {
    const found = getVariableValues(apiSchema, [definition], variables, { maxErrors: 1 });
    Object.assign(values, found.coerced);
    if (!found.errors) continue;
    const name = definition.variable.name.value;
    throw new QueryFaults([new GraphQLError(`The variable $${name} is missing or does not fit its type.`)]);
  }
  return values;
}

function demandOf(...query: Parameters<typeof enforceDemand>): number {
  try {
    return enforceDemand(...query);
  } catch (error) {
    throw faultOf(error);
  }
}

/** Mutations need the checks of `/v1` (sizes, streams, idempotency), so this endpoint only reads. */
function refuseChanges({ operation }: PreparedOperation): void {
  if (operation.operation === 'query') return;
  throw new QueryFaults([new GraphQLError('This endpoint reads; changes go through /v1.')]);
}

class QueryFaults extends Error {
  readonly faults: readonly GraphQLError[];

  constructor(faults: readonly GraphQLError[]) {
    super('the query is refused');
    this.faults = faults;
  }
}

/** A fault that the engine or a limit finds; any other error stays as it is. */
const faultOf = (error: unknown): unknown => (error instanceof GraphQLError ? new QueryFaults([error]) : error);

function parsed(query: string): DocumentNode {
  if (query.length > AD_HOC_LIMITS.characters) {
    throw new QueryFaults([new GraphQLError(`The query exceeds ${AD_HOC_LIMITS.characters} characters.`)]);
  }
  try {
    return parse(query, { maxTokens: AD_HOC_LIMITS.tokens });
  } catch (error) {
    throw faultOf(error);
  }
}

function chosen(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const found = name === undefined ? operations : operations.filter((operation) => operation.name?.value === name);
  const [operation] = found;
  if (!operation || found.length > 1) {
    throw new QueryFaults([
      new GraphQLError('The query must hold, or operationName must choose, exactly one operation.'),
    ]);
  }
  return operation;
}

/** Keeps one operation in the document, so that the executor needs no name and plans by the hash of the text. */
const withOneOperation = (document: DocumentNode, operation: OperationDefinitionNode): DocumentNode => ({
  ...document,
  definitions: document.definitions.filter(
    (definition) => definition.kind !== Kind.OPERATION_DEFINITION || definition === operation,
  ),
});

const errorBody = (found: Problem, path: AnalystError['path'], context: RequestContext): AnalystError => ({
  message: found.message,
  ...(path ? { path } : {}),
  extensions: {
    code: found.code,
    status: found.status,
    request_id: context.requestId,
    ...(found.details.errors ? { errors: found.details.errors } : {}),
  },
});

const refusal = (faults: readonly GraphQLError[], context: RequestContext): AnalystAnswer => ({
  status: 400,
  body: {
    errors: faults.map((fault) => ({
      message: fault.message,
      ...(fault.locations ? { locations: fault.locations } : {}),
      extensions: { code: 'VALIDATION_ERROR', status: 400, request_id: context.requestId },
    })),
  },
});

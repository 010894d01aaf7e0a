import { z } from 'zod';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import { GRAPH_CSV_EXAMPLE, GRAPH_LINES_EXAMPLE } from '../../openapi/text-examples.js';
import { ANY_KEY, Answer, bodyOf, type GraphAnswer, type GraphRequest } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { asksFor } from '../../streams/streamed-answer.js';
import { csvOf, type GraphTable, ndjsonOf, tableOf } from './graph-table.js';

const REQUEST: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1 },
    operationName: { type: ['string', 'null'] },
    variables: { type: ['object', 'null'] },
    extensions: { type: ['object', 'null'] },
  },
  additionalProperties: false,
};

/** The body as REQUEST has checked it. */
const GraphBody = z.object({
  query: z.string().exactOptional(),
  operationName: z.string().nullish(),
  variables: JSON_OBJECT.nullish(),
});

const GRAPHQL_ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    data: { type: ['object', 'null'] },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { message: { type: 'string' }, path: { type: 'array', items: {} }, extensions: { type: 'object' } },
        required: ['message', 'extensions'],
      },
    },
  },
};

/** Other forms of an answer, by media type. */
const TABLES: Readonly<Record<string, { readonly extension: string; readonly write: (table: GraphTable) => string }>> =
  {
    'text/csv': { extension: 'csv', write: csvOf },
    'application/x-ndjson': { extension: 'ndjson', write: ndjsonOf },
  };

/**
 * Returns the one list of an answer in the form that Accept names; null for JSON. An answer with errors stays JSON, so that
 * no table looks complete without them.
 *
 * @throws VALIDATION_ERROR for an answer that is no table
 */
function tableAnswer(accept: string | undefined, { status, body }: GraphAnswer): Answer | null {
  const asked = Object.entries(TABLES).find(([mediaType]) => asksFor(accept, mediaType));
  if (asked === undefined || status !== 200 || body.errors !== undefined) return null;
  const [mediaType, { extension, write }] = asked;
  const table = isJsonObject(body.data) ? tableOf(body.data) : null;
  if (table === null) {
    const message =
      'Must answer exactly one list of objects to be a table: a list, a page with items, or a connection.';
    throw problem('VALIDATION_ERROR', { errors: [fault('/query', 'table', message)] });
  }
  return new Answer(200, Buffer.from(write(table)), {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="answer.${extension}"`,
    vary: 'accept',
    ...(table.next === null ? {} : { 'x-next-cursor': table.next }),
  });
}

/**
 * Runs GraphQL for analysts. Any key may call it: trusted operations need the scopes of their fields, other queries also need
 * `graph:query`.
 */
export const postGraphql: CustomRoute = () => ({
  area: 'graphql',
  scope: ANY_KEY,
  tenant: 'optional',
  summary: 'Query the graph',
  description:
    'Runs one GraphQL operation over HTTP. Any key may call it: each field needs its own scope, and a query that is not ' +
    'one of the service’s own operations needs graph:query. Faults of fields are in `errors` beside the data. An answer with one ' +
    'list is also CSV or NDJSON; the header x-next-cursor names its next page. x-query-cost is the cost of the query.',
  operationId: 'queryGraph',
  operation: null,
  reads: true,
  stopsWithClient: true,
  body: { kind: 'json', schema: REQUEST, example: { query: '{ ledgerPartitions { items { source_system } } }' } },
  response: {
    description: 'GraphQL over HTTP: data, and errors with the codes of this API in extensions.',
    schema: GRAPHQL_ANSWER,
  },
  otherMedia: {
    'text/csv': { description: 'The one list of the answer as CSV (RFC 4180).', example: GRAPH_CSV_EXAMPLE },
    'application/x-ndjson': {
      description: 'The one list of the answer, one object a line.',
      example: GRAPH_LINES_EXAMPLE,
    },
  },
  otherAnswers: {
    '400': { description: 'The query is invalid and was not run.', schema: GRAPHQL_ANSWER },
  },
  handle: async (call) => {
    const { query, operationName, variables } = GraphBody.parse(bodyOf(call).value);
    const request: GraphRequest = {
      ...(query === undefined ? {} : { query }),
      ...(operationName == null ? {} : { operationName }),
      ...(variables == null ? {} : { variables }),
    };
    const answer = await call.services.graphql(request, call.context);
    const { status, body, cost } = answer;
    const headers = cost === undefined ? {} : { 'x-query-cost': String(cost) };
    return tableAnswer(call.accept, answer) ?? new Answer(status, body, headers);
  },
});

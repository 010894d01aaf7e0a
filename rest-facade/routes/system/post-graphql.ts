import { z } from 'zod';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { ANY_KEY, Answer, bodyOf, type GraphRequest } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';

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
        properties: { message: { type: 'string' }, path: { type: 'array' }, extensions: { type: 'object' } },
        required: ['message', 'extensions'],
      },
    },
  },
};

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
    'one of the service’s own operations needs graph:query. Faults of fields are in `errors` beside the data.',
  operationId: 'queryGraph',
  operation: null,
  reads: true,
  body: { kind: 'json', schema: REQUEST, example: { query: '{ ledgerPartitions { items { source_system } } }' } },
  response: {
    description: 'GraphQL over HTTP: data, and errors with the codes of this API in extensions.',
    schema: GRAPHQL_ANSWER,
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
    const { status, body: answer } = await call.services.graphql(request, call.context);
    return new Answer(status, answer);
  },
});

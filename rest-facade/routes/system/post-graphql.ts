import type { JsonSchema } from '../../../shared/graph/json-schema.js';
import { ANY_KEY, Answer, bodyOf, type GraphRequest, type RouteMaker } from '../../route.js';

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
 * The analysts' door. Any key may knock: trusted operations need the scopes of their fields, a query of one's own needs
 * `graph:query` beside them.
 */
export const postGraphql: RouteMaker = () => ({
  method: 'POST',
  path: '/graphql',
  area: 'graphql',
  scope: ANY_KEY,
  tenant: 'optional',
  summary: 'Query the graph',
  operation: null,
  body: { kind: 'json', schema: REQUEST, example: { query: '{ ledgerPartitions { items { source_system } } }' } },
  response: {
    description: 'GraphQL over HTTP: data, and errors with our codes in extensions.',
    schema: GRAPHQL_ANSWER,
  },
  otherAnswers: {
    '400': { description: 'The query cannot be run; nothing of it was.', schema: GRAPHQL_ANSWER },
  },
  handle: async (call) => {
    const { query, operationName, variables } = bodyOf(call).value as Readonly<Record<string, unknown>>;
    const request = {
      ...(query === undefined ? {} : { query }),
      ...(operationName == null ? {} : { operationName }),
      ...(variables == null ? {} : { variables }),
    } as GraphRequest;
    const { status, body: answer } = await call.services.graphql(request, call.context);
    return new Answer(status, answer);
  },
});

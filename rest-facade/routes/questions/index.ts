import { ANY_KEY } from '../../route.js';
import { type CustomRoute, type RouteArea, routeTable } from '../../route-table.js';
import { QUESTIONS } from './questions.js';

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const [FIRST] = QUESTIONS;

const VARIABLE = {
  type: 'object',
  properties: {
    name: text('Name of the variable.', 'member_id'),
    type: text('Type of the variable in the graph.', 'String!'),
    required: { type: 'boolean', description: 'Whether the query needs it.' },
    description: text('Meaning of the variable.', 'Any identifier of the member.'),
    example: text('A possible value.', 'M-1001'),
  },
  required: ['name', 'type', 'required', 'description', 'example'],
};

const QUESTION = {
  type: 'object',
  properties: {
    name: text('Name of the question, and of the operation in its query.', FIRST?.name ?? ''),
    title: text('The question.', FIRST?.title ?? ''),
    explanation: text('What the answer counts or lists.', FIRST?.explanation ?? ''),
    query: text('The query, to send to /graphql.', FIRST?.query ?? ''),
    variables: { type: 'array', items: VARIABLE, description: 'The variables of the query.' },
  },
  required: ['name', 'title', 'explanation', 'query', 'variables'],
};

const listQuestions: CustomRoute = () => ({
  summary: 'List the saved questions of analysts',
  description:
    'Each question is one query for `POST /graphql`, with its explanation and variables. The page `/graphiql` shows the same list. Running a query needs `graph:query` and the scopes of its fields.',
  operationId: 'listQuestions',
  operation: null,
  response: {
    description: 'All questions.',
    schema: {
      type: 'object',
      properties: {
        items: { type: 'array', items: QUESTION, description: 'The questions.' },
        next_cursor: { type: ['string', 'null'], description: 'Null: the list has one page.' },
      },
      required: ['items', 'next_cursor'],
    },
  },
  handle: async () => ({ items: QUESTIONS, next_cursor: null }),
});

const QUESTION_AREA: RouteArea = { area: 'questions', reads: ANY_KEY, tenant: 'optional' };

export const questionRoutes = routeTable(QUESTION_AREA, {
  'GET /v1/questions': listQuestions,
});

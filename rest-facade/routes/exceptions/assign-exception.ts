import { graphRoute } from '../../graph-route.js';

export const assignException = graphRoute({
  method: 'POST',
  path: '/v1/exceptions/{id}/assign',
  area: 'exceptions',
  scope: 'exceptions:write',
  tenant: 'required',
  summary: 'Give an exception to somebody',
  operation: { name: 'AssignException', field: 'assignException' },
  params: { id: 'exception_id' },
  body: { argument: 'input' },
  bodyExample: { assignee: 'act_01JQ0000000000000000000001' },
  answer: 'The exception, ASSIGNED.',
});

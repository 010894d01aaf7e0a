import { graphRoute } from '../../graph-route.js';

export const getException = graphRoute({
  method: 'GET',
  path: '/v1/exceptions/{id}',
  area: 'exceptions',
  scope: 'exceptions:read',
  tenant: 'required',
  summary: 'Read one exception',
  operation: { name: 'GetException', field: 'exception' },
  params: { id: 'exception_id' },
  answer: 'The exception with its steps and what to do about it.',
});

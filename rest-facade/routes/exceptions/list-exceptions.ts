import { graphRoute } from '../../graph-route.js';

export const listExceptions = graphRoute({
  method: 'GET',
  path: '/v1/exceptions',
  area: 'exceptions',
  scope: 'exceptions:read',
  tenant: 'required',
  summary: 'List exceptions',
  operation: { name: 'ListExceptions', field: 'exceptions' },
  answer: 'One page of exceptions, newest first unless told.',
});

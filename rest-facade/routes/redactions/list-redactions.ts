import { graphRoute } from '../../graph-route.js';

export const listRedactions = graphRoute({
  method: 'GET',
  path: '/v1/redactions',
  area: 'redactions',
  scope: 'redactions:read',
  tenant: 'required',
  summary: 'List redactions',
  operation: { name: 'ListRedactions', field: 'redactions' },
  answer: 'One page of redactions, newest first unless told.',
});

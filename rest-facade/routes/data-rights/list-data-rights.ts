import { graphRoute } from '../../graph-route.js';

export const listDataRights = graphRoute({
  method: 'GET',
  path: '/v1/data-rights',
  area: 'data-rights',
  scope: 'data-rights:read',
  tenant: 'required',
  summary: 'List what members ask about their data',
  operation: { name: 'ListDataRights', field: 'dataRights' },
  answer: 'One page of requests, newest first unless told.',
});

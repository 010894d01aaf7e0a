import { graphRoute } from '../../graph-route.js';

export const getDataRight = graphRoute({
  method: 'GET',
  path: '/v1/data-rights/{id}',
  area: 'data-rights',
  scope: 'data-rights:read',
  tenant: 'required',
  summary: "Read one request about a member's data",
  operation: { name: 'GetDataRight', field: 'dataRight' },
  params: { id: 'data_right_id' },
  answer: 'The request with its steps.',
});

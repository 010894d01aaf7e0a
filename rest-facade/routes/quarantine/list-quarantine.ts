import { graphRoute } from '../../graph-route.js';

export const listQuarantine = graphRoute({
  method: 'GET',
  path: '/v1/quarantine',
  area: 'quarantine',
  scope: 'documents:read',
  tenant: 'required',
  summary: 'List documents that wait for a review',
  operation: { name: 'ListQuarantine', field: 'quarantine' },
  answer: 'One page of quarantined documents with their findings, newest first unless told.',
});

import { graphRoute } from '../../graph-route.js';

export const listHolds = graphRoute({
  method: 'GET',
  path: '/v1/legal-holds',
  area: 'legal-holds',
  scope: 'holds:read',
  tenant: 'required',
  summary: 'List legal holds',
  operation: { name: 'ListLegalHolds', field: 'legalHolds' },
  answer: 'One page of holds, newest first unless told.',
});

import { graphRoute } from '../../graph-route.js';

export const getHold = graphRoute({
  method: 'GET',
  path: '/v1/legal-holds/{id}',
  area: 'legal-holds',
  scope: 'holds:read',
  tenant: 'required',
  summary: 'Read one legal hold',
  operation: { name: 'GetLegalHold', field: 'legalHold' },
  params: { id: 'hold_id' },
  answer: 'The hold with its counts and steps.',
});

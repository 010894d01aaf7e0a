import { graphRoute } from '../../graph-route.js';

export const listTombstones = graphRoute({
  method: 'GET',
  path: '/v1/legal-holds/{id}/tombstones',
  area: 'legal-holds',
  scope: 'holds:read',
  tenant: 'required',
  summary: 'List what a legal hold covers',
  description: 'As far as the listing has come (`listed_at` of the hold); what is held does not wait for it.',
  operation: { name: 'ListHoldTombstones', field: 'holdTombstones' },
  params: { id: 'hold_id' },
  answer: 'One page of events and documents, newest first unless told.',
});

import { graphRoute } from '../../graph-route.js';

export const listEvents = graphRoute({
  method: 'GET',
  path: '/v1/events',
  area: 'events',
  scope: 'events:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'List events',
  operation: { name: 'ListEvents', field: 'events' },
  answer: 'One page of events, newest first unless told.',
});

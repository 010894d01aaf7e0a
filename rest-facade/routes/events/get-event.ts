import { graphRoute } from '../../graph-route.js';

export const getEvent = graphRoute({
  method: 'GET',
  path: '/v1/events/{id}',
  area: 'events',
  scope: 'events:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'Read one event',
  operation: { name: 'GetEvent', field: 'event' },
  params: { id: 'event_id' },
  answer: 'The event with its place in the chain.',
});

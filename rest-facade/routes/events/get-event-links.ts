import { graphRoute } from '../../graph-route.js';

export const getEventLinks = graphRoute({
  method: 'GET',
  path: '/v1/events/{id}/links',
  area: 'events',
  scope: 'events:read',
  tenant: 'required',
  summary: 'What an event is joined to by its numbers',
  description:
    'Claims, prior authorizations, remittances, statuses and pharmacy messages that name the same claim, authorization, trace or prescription. An event is joined within a second of its append.',
  operation: { name: 'GetEventLinks', field: 'eventLinks' },
  params: { id: 'event_id' },
  answer: 'The edges, the newest event first.',
});

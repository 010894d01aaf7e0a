import { type RouteArea, routeTable } from '../../route-table.js';
import { getEventRaw } from './get-event-raw.js';
import { postEvents } from './post-events.js';
import { validateEvent } from './validate-event.js';

const EVENTS: RouteArea = { area: 'events', id: 'event_id', reads: 'events:read' };

export const eventRoutes = routeTable(EVENTS, {
  'POST /v1/events': postEvents,
  'POST /v1/events/validate': validateEvent,
  'GET /v1/events': {
    members: { custody: 'facade' },
    summary: 'List events',
    operation: { name: 'ListEvents', field: 'events' },
    answer: 'One page of events, newest first by default.',
  },
  'GET /v1/events/{id}': {
    members: { custody: 'facade' },
    summary: 'Read one event',
    operation: { name: 'GetEvent', field: 'event' },
    answer: 'The event with its position in the chain.',
  },
  'GET /v1/events/{id}/opening': {
    summary: 'Read what opens the commitments of an event',
    description:
      'The record as it was hashed, its seed and its header: a reader recomputes `commit`, `fields` and `entry_hash` (docs/evidence.md section 2), and follows `/proof` to the signed checkpoint. A redacted event gives its redacted line in place of record and seed.',
    operation: { name: 'GetEventOpening', field: 'eventOpening' },
    answer: 'Header, record and seed.',
  },
  'GET /v1/events/{id}/raw': {
    summary: 'Read the raw bytes of an event',
    description:
      'Returns the event’s part of the raw message, or the whole body if it has no other event. `whole=true` returns the whole body and needs documents:unredacted. Recorded in custody before the first byte is sent.',
    operation: { name: 'GetEventRaw', field: 'eventRaw' },
    answer: 'The bytes as received.',
    extend: getEventRaw,
  },
  'GET /v1/events/{id}/links': {
    summary: 'List the events linked to an event by shared numbers',
    description:
      'Claims, prior authorizations, remittances, statuses and pharmacy messages that name the same claim, authorization, trace or prescription. An event is linked within a second of its append.',
    operation: { name: 'GetEventLinks', field: 'eventLinks' },
    answer: 'The edges, the newest event first.',
  },
});

import { type RouteArea, routeTable } from '../route-table.js';

const LEGAL_HOLDS: RouteArea = { area: 'legal-holds', id: 'hold_id', reads: 'holds:read', writes: 'holds:write' };

export const legalHoldRoutes = routeTable(LEGAL_HOLDS, {
  'POST /v1/legal-holds': {
    summary: 'Place a legal hold',
    description:
      'Active when the answer is sent, for existing and for later records. It covers records named by id, and records that match all other given members.',
    operation: { name: 'PlaceLegalHold', field: 'placeLegalHold' },
    bodyExample: {
      name: 'Doe v. Acme Health',
      scope: { member_ids: ['M-1001'] },
      reason: 'Complaint served; preservation duty begins.',
      authority: 'Counsel, letter of 2 March 2026',
    },
    answer: 'The hold, ACTIVE.',
  },
  'GET /v1/legal-holds': {
    summary: 'List legal holds',
    operation: { name: 'ListLegalHolds', field: 'legalHolds' },
    answer: 'One page of holds, newest first by default.',
  },
  'GET /v1/legal-holds/{id}': {
    summary: 'Read one legal hold',
    operation: { name: 'GetLegalHold', field: 'legalHold' },
    answer: 'The hold with its counts and steps.',
  },
  'PATCH /v1/legal-holds/{id}': {
    summary: 'Change or widen a legal hold',
    description: 'Absent members stay. A narrower scope is rejected: it would be a release, which needs an authority.',
    operation: { name: 'UpdateLegalHold', field: 'updateLegalHold' },
    bodyExample: { reason: 'Amended complaint.' },
    answer: 'The hold.',
  },
  'POST /v1/legal-holds/{id}/release': {
    summary: 'Release a legal hold',
    description: 'Final, and only under a documented authority. Records under another hold stay held.',
    operation: { name: 'ReleaseLegalHold', field: 'releaseLegalHold' },
    bodyExample: {
      authority: { kind: 'COURT_ORDER', reference: 'No. 24-cv-0001, Dkt. 88' },
      reason: 'Case dismissed with prejudice.',
      released_by: 'General Counsel',
    },
    answer: 'The hold, RELEASED.',
  },
  'GET /v1/legal-holds/{id}/tombstones': {
    summary: 'List the records under a legal hold',
    description:
      'The listing is built in the background (`listed_at` of the hold); the hold itself does not wait for it.',
    operation: { name: 'ListHoldTombstones', field: 'holdTombstones' },
    answer: 'One page of events and documents, newest first by default.',
  },
});

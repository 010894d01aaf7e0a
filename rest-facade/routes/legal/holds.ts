import { ANY_KEY, Answer } from '../../route.js';
import { type RouteArea, routeTable } from '../../route-table.js';
import { acknowledgeShared, readShared } from './shared-notice.js';

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
  'POST /v1/legal-holds/{id}/notices': {
    summary: 'Give a custodian notice of a legal hold',
    description:
      'The service sends nothing. A custodian with an actor reads the notice by `GET /v1/hold-notices` and acknowledges it with their own key or session. You inform the others. Recorded in custody (NOTIFY). 409 CONFLICT for a released hold.',
    operation: { name: 'GiveHoldNotice', field: 'giveHoldNotice' },
    bodyExample: {
      custodian: 'Jane Roe, Claims',
      custodian_id: 'act_01JQ0000000000000000000001',
      text: 'Keep all records about member M-1001 until further notice.',
      due_in_days: 14,
    },
    answer: 'The notice, PENDING.',
  },
  'GET /v1/legal-holds/{id}/notices': {
    summary: 'List the notices of a legal hold',
    description: '`overdue` is true for a pending notice whose time has passed.',
    operation: { name: 'ListHoldNotices', field: 'holdNotices' },
    answer: 'One page of notices, newest first by default.',
  },
});

const HOLD_NOTICES: RouteArea = { area: 'hold-notices', id: 'notice_id', reads: ANY_KEY, writes: 'holds:write' };

export const holdNoticeRoutes = routeTable(HOLD_NOTICES, {
  'GET /v1/hold-notices': {
    summary: 'List the notices to the caller',
    description: 'The notices to the actor of the key or session, of every hold. 403 for a key without an actor.',
    operation: { name: 'ListOwnHoldNotices', field: 'ownHoldNotices' },
    answer: 'One page of notices, newest first by default.',
  },
  'POST /v1/hold-notices/{id}/remind': {
    summary: 'Note that a custodian was reminded',
    description: 'The service sends nothing. Recorded in custody (NOTIFY). 409 CONFLICT after the release of the hold.',
    operation: { name: 'RemindHoldNotice', field: 'remindHoldNotice' },
    bodyExample: {},
    answer: 'The notice with the number of reminders.',
  },
  'POST /v1/hold-notices/{id}/link': {
    summary: 'Make a link to a notice for a custodian without a key',
    description:
      'The custodian reads and acknowledges the notice with the link, without a key, as long as the key or person that made it may give notices. A link before it ends. Recorded in custody (SHARE). The service sends nothing. 409 CONFLICT for a custodian with an actor and after the release of the hold.',
    operation: { name: 'ShareHoldNotice', field: 'shareHoldNotice' },
    bodyExample: { expires_in_hours: 336 },
    secretAnswer: true,
    answer: 'The notice with the token and the address, which no other answer shows.',
    extend: (route) => ({ successStatus: 201, handle: async (call) => new Answer(201, await route.handle(call)) }),
  },
  'GET /v1/notice-links/{token}': readShared,
  'POST /v1/notice-links/{token}/acknowledge': acknowledgeShared,
  'POST /v1/hold-notices/{id}/acknowledge': {
    scope: ANY_KEY,
    summary: 'Acknowledge a notice',
    description:
      'The own key or session of the custodian needs no scope. For a custodian without an actor, a key with holds:write records how they acknowledged. Recorded in custody (ACKNOWLEDGE).',
    operation: { name: 'AcknowledgeHoldNotice', field: 'acknowledgeHoldNotice' },
    bodyExample: {},
    answer: 'The notice, ACKNOWLEDGED.',
  },
  'POST /v1/hold-notices/{id}/withdraw': {
    summary: 'Withdraw a notice',
    description: 'Final; for a notice without an acknowledgement. Recorded in custody (WITHDRAW).',
    operation: { name: 'WithdrawHoldNotice', field: 'withdrawHoldNotice' },
    bodyExample: {},
    answer: 'The notice, WITHDRAWN.',
  },
});

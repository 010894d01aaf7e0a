import type { GraphRouteEntry } from '../graph-route.js';
import type { RouteEntries } from '../route-table.js';
import { type RouteArea, routeTable } from '../route-table.js';

const DATA_RIGHTS: RouteArea = {
  area: 'data-rights',
  id: 'data_right_id',
  reads: 'data-rights:read',
  writes: 'data-rights:write',
};

type Step = Pick<GraphRouteEntry, 'summary' | 'description' | 'bodyExample' | 'bodyOptional' | 'operation'>;

const EVENT = 'evt_01JQ0000000000000000000001';
const CORRECTION = 'evt_01JQ0000000000000000000002';

const STEPS: Readonly<Record<string, Step>> = {
  verify: {
    summary: 'Record how the requester was identified',
    bodyExample: { how: 'Photo identification, in person.' },
    operation: { name: 'VerifyDataRight', field: 'verifyDataRight' },
  },
  start: {
    summary: 'Start or resume the work for a request',
    description:
      'ACCESS requests a bundle (a new one after a failure), RESTRICTION creates a consent, ERASURE disposes of the records that may go now.',
    bodyExample: { purpose: 'MARKETING' },
    bodyOptional: true,
    operation: { name: 'StartDataRight', field: 'startDataRight' },
  },
  extend: {
    summary: 'Extend the deadline of a request, once',
    description: '409 CONFLICT the second time.',
    bodyExample: { reason: 'The records are with the archive.' },
    operation: { name: 'ExtendDataRight', field: 'extendDataRight' },
  },
  fulfil: {
    summary: 'Fulfil a request',
    description:
      '409 NOT_SEALED until the bundle is sealed; LEGAL_HOLD_ACTIVE or CONFLICT with `refused` if records to erase must stay.',
    bodyExample: { event_ids: [EVENT], correction_event_ids: [CORRECTION] },
    bodyOptional: true,
    operation: { name: 'FulfilDataRight', field: 'fulfilDataRight' },
  },
  deny: {
    summary: 'Deny a request',
    bodyExample: { ground: 'Psychotherapy notes (45 CFR 164.524(a)(1)(i)).' },
    operation: { name: 'DenyDataRight', field: 'denyDataRight' },
  },
  disagree: {
    summary: 'Record a statement of disagreement with a denied amendment',
    bodyExample: { statement_of_disagreement_event_id: EVENT },
    operation: { name: 'DisagreeDataRight', field: 'disagreeDataRight' },
  },
};

const TRANSITIONS = '409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.';

/** One route a step. */
const stepRoutes = (): RouteEntries =>
  Object.fromEntries(
    Object.entries(STEPS).map(([action, { description, ...step }]) => [
      `POST /v1/data-rights/{id}/${action}`,
      {
        ...step,
        description: description === undefined ? TRANSITIONS : `${description} ${TRANSITIONS}`,
        answer: 'The request.',
      },
    ]),
  );

export const dataRightRoutes = routeTable(DATA_RIGHTS, {
  'GET /v1/data-rights': {
    summary: 'List data rights requests',
    operation: { name: 'ListDataRights', field: 'dataRights' },
    answer: 'One page of requests, newest first by default.',
  },
  'POST /v1/data-rights': {
    summary: 'Receive a data rights request of a member',
    description: '404 for an unknown member. It is due 30 days after it was received.',
    operation: { name: 'ReceiveDataRight', field: 'receiveDataRight' },
    bodyExample: {
      member_id: 'M-1',
      right: 'ACCESS',
      requester: { name: 'Jordan Doe', relationship: 'SELF' },
      received_at: '2026-03-02T14:11:10Z',
      details: 'Everything since 2020.',
    },
    answer: 'The request.',
  },
  'GET /v1/data-rights/{id}': {
    summary: 'Read one data rights request',
    operation: { name: 'GetDataRight', field: 'dataRight' },
    answer: 'The request with its steps.',
  },
  'GET /v1/data-rights/{id}/disclosures': {
    summary: 'List the disclosures of a member’s records',
    description:
      'For a started ACCOUNTING_OF_DISCLOSURES, else 409 CONFLICT. After it is fulfilled, the list stays as it was then. Recorded in custody (READ_DISCLOSURES).',
    operation: { name: 'ListDisclosures', field: 'dataRightDisclosures' },
    conflicts: true,
    answer: 'One page of disclosures, oldest first.',
  },
  ...stepRoutes(),
});

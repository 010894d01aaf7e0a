import type { JsonValue } from '../../../shared/json/strict-json.js';
import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

interface Step {
  readonly action: string;
  readonly summary: string;
  /** Beside INVALID_TRANSITION. */
  readonly told?: string;
  readonly bodyExample: JsonValue;
  readonly bodyOptional?: boolean;
  readonly operation: { readonly name: string; readonly field: string };
}

const EVENT = 'evt_01JQ0000000000000000000001';
const CORRECTION = 'evt_01JQ0000000000000000000002';

const STEPS: readonly Step[] = [
  {
    action: 'verify',
    summary: 'Note how it was made sure who asks',
    bodyExample: { how: 'Photo identification, in person.' },
    operation: { name: 'VerifyDataRight', field: 'verifyDataRight' },
  },
  {
    action: 'start',
    summary: 'Begin what a request needs, or go on with it',
    told: 'ACCESS has a bundle made (another one once that failed), RESTRICTION a consent, ERASURE disposes of what may go now.',
    bodyExample: { purpose: 'MARKETING' },
    bodyOptional: true,
    operation: { name: 'StartDataRight', field: 'startDataRight' },
  },
  {
    action: 'extend',
    summary: 'Give a request more time, once',
    told: '409 CONFLICT the second time.',
    bodyExample: { reason: 'The records are with the archive.' },
    operation: { name: 'ExtendDataRight', field: 'extendDataRight' },
  },
  {
    action: 'fulfil',
    summary: 'End a request with what was asked for',
    told: '409 NOT_SEALED before the bundle is, LEGAL_HOLD_ACTIVE or CONFLICT with `refused` where something stays that was to be erased.',
    bodyExample: { event_ids: [EVENT], correction_event_ids: [CORRECTION] },
    bodyOptional: true,
    operation: { name: 'FulfilDataRight', field: 'fulfilDataRight' },
  },
  {
    action: 'deny',
    summary: 'End a request without what was asked for',
    bodyExample: { ground: 'Psychotherapy notes (45 CFR 164.524(a)(1)(i)).' },
    operation: { name: 'DenyDataRight', field: 'denyDataRight' },
  },
  {
    action: 'disagree',
    summary: 'Note what the member says to a denied amendment',
    bodyExample: { statement_of_disagreement_event_id: EVENT },
    operation: { name: 'DisagreeDataRight', field: 'disagreeDataRight' },
  },
];

/** One route for each step. */
export const dataRightSteps: readonly RouteMaker[] = STEPS.map(({ action, told, ...step }) =>
  graphRoute({
    method: 'POST',
    path: `/v1/data-rights/{id}/${action}`,
    area: 'data-rights',
    scope: 'data-rights:write',
    tenant: 'required',
    description: [
      told,
      '409 INVALID_TRANSITION where its status does not take this step; it names those that it takes.',
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    params: { id: 'data_right_id' },
    body: { argument: 'input' },
    answer: 'The request.',
    ...step,
  }),
);

import { type Case, list, own, record, reference } from './case-kinds.js';
import { SAME } from './world.js';

// What members ask about their data. Both tenants have a request of the same member, and disclosures to account for.

const RIGHT = '/v1/data-rights/{id}';
const STATEMENT = 'evt_01JQ0000000000000000000001';

const BODIES: Readonly<Record<string, object>> = {
  verify: { how: 'Known.' },
  start: {},
  extend: { reason: 'The archive is slow.' },
  fulfil: {},
  deny: { ground: 'Not the member.' },
  disagree: { statement_of_disagreement_event_id: STATEMENT },
};

/** Events of an amendment are the tenant's own. */
const REFERENCES: Readonly<Record<string, readonly Case[]>> = {
  fulfil: ['event_ids', 'correction_event_ids'].map((member) =>
    reference(member, 'event', (id) => ({ event_ids: [id], correction_event_ids: [id] }), own('amendment')),
  ),
  disagree: [
    reference(
      'statement_of_disagreement_event_id',
      'event',
      (id) => ({ statement_of_disagreement_event_id: id }),
      own('deniedAmendment'),
    ),
  ],
};

const steps = Object.entries(BODIES).map(([action, body]): [string, readonly Case[]] => [
  `POST ${RIGHT}/${action}`,
  [record('dataRight', RIGHT, { body }), ...(REFERENCES[action] ?? [])],
]);

export const DATA_RIGHT_CASES: Readonly<Record<string, readonly Case[]>> = {
  'GET /v1/data-rights': [list('dataRight'), list('dataRight', { query: `member_id=${SAME.member}` })],
  'POST /v1/data-rights': [
    { kind: 'own', body: { member_id: SAME.member, right: 'ACCESS' }, readAt: () => '/v1/data-rights' },
  ],
  [`GET ${RIGHT}`]: [record('dataRight', RIGHT)],
  [`GET ${RIGHT}/disclosures`]: [record('dataRight', RIGHT)],
  ...Object.fromEntries(steps),
};

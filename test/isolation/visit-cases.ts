import { type Case, list, record } from './case-kinds.js';
import { SAME } from './world.js';

// Appointments and care teams. Both tenants have the same practitioner at the same time.

const steps = (path: string, kind: 'appointment' | 'carer', actions: readonly string[], body: object) =>
  Object.fromEntries(
    actions.map((action): [string, readonly Case[]] => [`POST ${path}/${action}`, [record(kind, path, { body })]]),
  );

const APPOINTMENT = '/v1/appointments/{id}';
const CARER = '/v1/care-team/{id}';
const VISIT = {
  member_id: SAME.member,
  practitioner: { npi: '1234567893' },
  start: '2026-05-01T01:00:00Z',
  end: '2026-05-01T01:30:00Z',
};
const OTHER_TIME = { start: '2026-06-01T01:00:00Z', end: '2026-06-01T01:30:00Z' };
const OF_MEMBER = { query: `member_id=${SAME.member}` };

export const VISIT_CASES: Readonly<Record<string, readonly Case[]>> = {
  'GET /v1/appointments': [
    list('appointment'),
    list('appointment', OF_MEMBER),
    list('appointment', { query: 'practitioner=1234567893' }),
  ],
  'POST /v1/appointments': [{ kind: 'own', body: VISIT, readAt: () => '/v1/appointments' }],
  [`GET ${APPOINTMENT}`]: [record('appointment', APPOINTMENT)],
  ...steps(APPOINTMENT, 'appointment', ['request', 'wait', 'book', 'reschedule'], OTHER_TIME),
  ...steps(APPOINTMENT, 'appointment', ['arrive', 'check-in', 'fulfil', 'cancel', 'no-show', 'mark-in-error'], {}),
  'GET /v1/care-team': [list('carer'), list('carer', OF_MEMBER)],
  'POST /v1/care-team': [
    {
      kind: 'own',
      body: { member_id: SAME.member, role: 'MINE', npi: '1234567893' },
      readAt: () => '/v1/care-team',
    },
  ],
  [`GET ${CARER}`]: [record('carer', CARER)],
  ...steps(CARER, 'carer', ['activate', 'suspend', 'resume', 'end', 'mark-in-error'], {}),
};

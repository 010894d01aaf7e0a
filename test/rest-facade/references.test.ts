import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nameOf, referenceMembers, routes } from '../isolation/matrix.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

// Every member of a body that names a record. A record that names something unknown protects, joins or delivers nothing,
// and says nothing (ADR 102).

let service: WholeService;
let http: Http;
/** Records that the requests need. */
let ids: Readonly<Record<string, string>>;

const unknown = (kind: string): string => `${kind}_01JQ0000000000000000000001`;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  ({ http } = await freshTenant(service.operator, ['admin']));
  const made = async (path: string, body: object, id: string): Promise<string> => idOf(await http.post(path, body), id);
  const person = await made('/v1/members', PERSON, 'member_id');
  const amendment = await made(
    '/v1/data-rights',
    { member_id: 'M-1', right: 'AMENDMENT', details: 'a' },
    'data_right_id',
  );
  await http.post(`/v1/data-rights/${amendment}/verify`, { how: 'Known.' });
  await http.post(`/v1/data-rights/${amendment}/start`, {});
  const denied = await made('/v1/data-rights', { member_id: 'M-1', right: 'AMENDMENT', details: 'b' }, 'data_right_id');
  await http.post(`/v1/data-rights/${denied}/verify`, { how: 'Known.' });
  await http.post(`/v1/data-rights/${denied}/deny`, { ground: 'Accurate.' });
  ids = {
    amendment,
    denied,
    event: await made('/v1/events', envelope(1), 'event_id'),
    hold: await made('/v1/legal-holds', HOLD, 'hold_id'),
    person,
    lead: await made('/v1/leads', LEAD, 'lead_id'),
    visit: await made('/v1/appointments', VISIT, 'appointment_id'),
    webhook: await made('/v1/webhooks', WEBHOOK, 'webhook_id'),
  };
}, 120_000);
afterAll(() => service.stop());

function idOf({ status, text, json }: Answer, name: string): string {
  if (status !== 200) throw new Error(`no ${name}: ${text}`);
  return String(json[name]);
}

const PERSON = { member_id: 'M-1', name: { family: 'Testperson', given: ['Ada'] } };
const HOLD = {
  name: 'Hold',
  scope: { member_ids: ['M-1'] },
  reason: 'Litigation.',
};
const LEAD = { lead_type: 'PROSPECT', summary: 'A question.' };
const VISIT = { member_id: 'M-1', start: '2026-04-01T01:00:00Z', end: '2026-04-01T01:30:00Z' };
const WEBHOOK = { url: 'https://receiver.invalid/1', event_types: ['legal-hold.created'] };
const DECISION = {
  decision_type: 'OTHER',
  model: { name: 'm', version: '1' },
  inputs: [],
  recommendation: 'REFER',
};
const MATTER = { name: 'Matter', kind: 'LITIGATION' };
const REDACTION = { pointers: ['/payload'], reason: 'r', basis: 'b' };
const CONSENT = { member_id: 'M-1', decision: 'PERMIT', purpose: 'MARKETING' };
const CARER = { member_id: 'M-1', role: 'PCP' };
const SPAN = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' };

interface Reference {
  readonly route: string;
  /** Path where it has the identifier of a record. */
  readonly path?: () => string;
  readonly body: () => object;
  /** Pointers of the unknown names. */
  readonly pointers: readonly string[];
}

const REFERENCES: readonly Reference[] = [
  {
    route: 'POST /v1/legal-holds',
    body: () => ({
      ...HOLD,
      scope: { event_ids: [ids['event'], unknown('evt')], document_ids: [unknown('doc')] },
      matter_id: unknown('mat'),
    }),
    pointers: ['/scope/event_ids/1', '/scope/document_ids/0', '/matter_id'],
  },
  {
    route: 'PATCH /v1/legal-holds/{id}',
    path: () => `/v1/legal-holds/${ids['hold']}`,
    body: () => ({
      scope: { ...HOLD.scope, event_ids: [unknown('evt')], document_ids: [unknown('doc')] },
      matter_id: unknown('mat'),
    }),
    pointers: ['/scope/event_ids/0', '/scope/document_ids/0', '/matter_id'],
  },
  {
    route: 'POST /v1/legal-holds/{id}/release',
    path: () => `/v1/legal-holds/${ids['hold']}/release`,
    body: () => ({
      reason: 'r',
      released_by: 'C',
      authority: { kind: 'COURT_ORDER', reference: 'A-2', document_id: unknown('doc') },
    }),
    pointers: ['/authority/document_id'],
  },
  {
    route: 'POST /v1/legal-holds/{id}/notices',
    path: () => `/v1/legal-holds/${ids['hold']}/notices`,
    body: () => ({ custodian: 'C', text: 'Keep.', custodian_id: unknown('act') }),
    pointers: ['/custodian_id'],
  },
  {
    route: 'POST /v1/legal-matters',
    body: () => ({
      ...MATTER,
      hold_ids: [ids['hold'], unknown('hld')],
      bundle_ids: [unknown('bnd')],
      exception_ids: [unknown('exc')],
      document_ids: [unknown('doc')],
    }),
    pointers: ['/hold_ids/1', '/bundle_ids/0', '/exception_ids/0', '/document_ids/0'],
  },
  {
    route: 'POST /v1/bundles',
    body: () => ({ scope: { matter_id: unknown('mat') }, bundle_type: 'MATTER' }),
    pointers: ['/scope/matter_id'],
  },
  {
    route: 'POST /v1/redactions',
    body: () => ({ ...REDACTION, subject: { kind: 'EVENT', id: unknown('evt') } }),
    pointers: ['/subject/id'],
  },
  {
    route: 'POST /v1/redactions',
    body: () => ({
      ...REDACTION,
      pointers: undefined,
      terms: ['a'],
      subject: { kind: 'DOCUMENT', id: unknown('doc') },
    }),
    pointers: ['/subject/id'],
  },
  ...['EVENT', 'DOCUMENT', 'BUNDLE', 'HOLD'].map((kind) => ({
    route: 'POST /v1/custody',
    body: () => ({
      action: 'NOTED',
      subject: { kind, id: unknown(kind.slice(0, 3).toLowerCase()) },
      subjects: [{ kind, id: unknown('x') }],
    }),
    pointers: ['/subject/id', '/subjects/0/id'],
  })),
  {
    route: 'POST /v1/ai-decisions',
    body: () => ({ ...DECISION, event_id: unknown('evt') }),
    pointers: ['/event_id'],
  },
  {
    route: 'POST /v1/consent',
    body: () => ({ ...CONSENT, source_document_id: unknown('doc') }),
    pointers: ['/source_document_id'],
  },
  {
    route: 'POST /v1/data-rights/{id}/fulfil',
    path: () => `/v1/data-rights/${ids['amendment']}/fulfil`,
    body: () => ({ event_ids: [unknown('evt')], correction_event_ids: [unknown('evt')] }),
    pointers: ['/event_ids/0', '/correction_event_ids/0'],
  },
  {
    route: 'POST /v1/data-rights/{id}/disagree',
    path: () => `/v1/data-rights/${ids['denied']}/disagree`,
    body: () => ({ statement_of_disagreement_event_id: unknown('evt') }),
    pointers: ['/statement_of_disagreement_event_id'],
  },
  ...(['merge', 'unmerge'] as const).map((step) => ({
    route: `POST /v1/members/{id}/${step}`,
    path: () => `/v1/members/${ids['person']}/${step}`,
    body: () => ({ source_member_id: 'M-nobody' }),
    pointers: ['/source_member_id'],
  })),
  { route: 'POST /v1/leads', body: () => ({ ...LEAD, duplicate_of: unknown('led') }), pointers: ['/duplicate_of'] },
  {
    route: 'PATCH /v1/leads/{id}',
    path: () => `/v1/leads/${ids['lead']}`,
    body: () => ({ duplicate_of: unknown('led') }),
    pointers: ['/duplicate_of'],
  },
  {
    route: 'POST /v1/leads/{id}/close',
    path: () => `/v1/leads/${ids['lead']}/close`,
    body: () => ({ reason: 'DUPLICATE', duplicate_of: unknown('led') }),
    pointers: ['/duplicate_of'],
  },
  {
    route: 'POST /v1/actors',
    body: () => ({ name: 'A', role_ids: [unknown('rol')] }),
    pointers: ['/role_ids/0'],
  },
  {
    route: 'POST /v1/api-keys',
    body: () => ({ name: 'K', role_ids: [unknown('rol')] }),
    pointers: ['/role_ids/0'],
  },
  {
    route: 'POST /v1/api-keys',
    body: () => ({ name: 'K', scopes: ['events:read'], actor_id: unknown('act') }),
    pointers: ['/actor_id'],
  },
  {
    route: 'POST /v1/appointments',
    body: () => ({ ...VISIT, practitioner: { actor: unknown('act') } }),
    pointers: ['/practitioner/actor'],
  },
  {
    route: 'POST /v1/appointments/{id}/reschedule',
    path: () => `/v1/appointments/${ids['visit']}/reschedule`,
    body: () => ({ start: VISIT.start, end: VISIT.end, practitioner: { actor: unknown('act') } }),
    pointers: ['/practitioner/actor'],
  },
  { route: 'POST /v1/care-team', body: () => ({ ...CARER, actor: unknown('act') }), pointers: ['/actor'] },
  {
    route: 'POST /v1/webhooks',
    body: () => ({ ...WEBHOOK, event_types: ['legal-hold.created', 'no.such.kind'] }),
    pointers: ['/event_types/1'],
  },
  {
    route: 'PATCH /v1/webhooks/{id}',
    path: () => `/v1/webhooks/${ids['webhook']}`,
    body: () => ({ event_types: ['no.such.kind'] }),
    pointers: ['/event_types/0'],
  },
  {
    route: 'POST /v1/webhooks/{id}/recover',
    path: () => `/v1/webhooks/${ids['webhook']}/recover`,
    body: () => ({ ...SPAN, event_types: ['no.such.kind'] }),
    pointers: ['/event_types/0'],
  },
  {
    route: 'POST /v1/saved-views',
    body: () => ({ name: 'V', address: '/no-such-screen' }),
    pointers: ['/address'],
  },
  {
    route: 'PUT /v1/feature-flags/{key}',
    path: () => '/v1/feature-flags/a-flag',
    body: () => ({
      type: 'string',
      variants: { v: 'v' },
      default_variant: 'none',
      targeting: [{ when: { '==': [1, 1] }, variant: 'none' }],
    }),
    pointers: ['/default_variant', '/targeting/0/variant'],
  },
];

/** Members that look like references, and why any name is valid. By name, or by route and name. */
const NAMES: Readonly<Record<string, string>> = {
  tenant_id: 'another tenant is TENANT_MISMATCH on every route (test/isolation)',
  member_id: "the sender's own name of a person",
  member_ids: "the senders' own names of persons",
  source_record_id: "the sender's own name of a record",
  incident_id: "the sender's own name of an incident",
  reviewer_id: "the sender's own name of a person",
  assigned_to: 'a note of who works on it',
  effective_to: 'a time',
  converted_to: 'a note of kind and id: a lead becomes records outside of the service too',
  'POST /v1/leads/{id}/convert id': 'of converted_to',
  'POST /v1/search matter_id': 'a filter: a name of nobody finds nothing',
  'POST /v1/member-auth/verify challenge_id': 'a secret: 401 with one text for any other (docs/member-access.md)',
  'POST /v1/ava-access/verify request_id': 'a secret: 401 with one text for any other (docs/member-access.md)',
};

const CASES = REFERENCES.map((one): [string, Reference] => [`${one.route} ${one.pointers.join(' ')}`, one]);

describe('a record that names something unknown', () => {
  it.each(CASES)('is rejected with the pointers of the names by %s', async (_name, { route, path, body, pointers }) => {
    const [method = '', template = ''] = route.split(' ');
    const { status, json } = await http.call(path?.() ?? template, { method, body: body() });
    const paths = json.errors?.map((fault: { path: string }) => fault.path);
    expect([status, json.code, paths]).toEqual([400, 'VALIDATION_ERROR', pointers]);
  });

  it('is rejected by POST /v1/documents with the pointer of the event', async () => {
    const fields = [
      ['event_ids', unknown('evt')],
      ['file"; filename="a.txt', 'text'],
    ];
    const parts = fields.map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
    );
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const { status, json } = await http.post('/v1/documents', `${parts.join('\r\n')}\r\n--b--\r\n`, headers);
    expect([status, json.errors?.[0]?.path]).toEqual([400, '/event_ids/0']);
  });

  it.each([
    ['POST /v1/legal-holds', () => ({ ...HOLD, scope: { event_ids: [unknown('evt')] }, allow_unknown: true })],
    [
      'POST /v1/custody',
      () => ({ action: 'NOTED', subject: { kind: 'EVENT', id: unknown('evt') }, allow_unknown: true }),
    ],
  ])('is stored by %s with allow_unknown', async (route, body) => {
    expect((await http.post(route.split(' ')[1] ?? '', body())).status).toBe(200);
  });

  it.each(routes.map((route) => [nameOf(route), route] as const))(
    'has its case for each member of %s',
    (name, route) => {
      const checked = REFERENCES.filter((one) => one.route === name).flatMap(({ pointers }) => pointers.map(memberIn));
      const named = (member: string) => NAMES[member] ?? NAMES[`${name} ${member}`];
      const without = referenceMembers(route).filter(
        (member) => !checked.includes(member) && named(member) === undefined,
      );
      expect(without).toEqual([]);
    },
  );
});

/** The name of the member that a pointer ends in. */
const memberIn = (pointer: string): string =>
  pointer
    .split('/')
    .filter((step) => !/^\d*$/.test(step))
    .at(-1) ?? '';

import { ACCESS_CASES } from './access-cases.js';
import { ADVOCACY_CASES } from './advocacy-cases.js';
import { type Case, list, open, own, record, reference } from './case-kinds.js';
import { DATA_RIGHT_CASES } from './data-right-cases.js';
import { GRAPH_CASES } from './graph-cases.js';
import { LEGAL_CASES } from './legal-cases.js';
import { matterLinkCases } from './matter-cases.js';
import { VISIT_CASES } from './visit-cases.js';
import type { World } from './world.js';
import { SAME } from './world.js';

// The requests of tenant B on each route against the records of tenant A. The matrix fails with the name of a route that
// has no case.

const DECISION = {
  decision_type: 'OTHER',
  model: { name: 'm', version: '1' },
  inputs: [],
  recommendation: 'REFER',
};

const EVENT = {
  event_family: 'f',
  event_type: 't',
  source_system: 'um-1',
  source_record_id: SAME.sourceRecord,
  member_id: SAME.member,
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
};
const REDACTION = { reason: 'mine', basis: 'mine' };
const CONNECTOR = { kind: 'FHIR', name: 'mine', source_system: 'my-own', config: { transport: 'ENDPOINT' } };
const FLAG = { type: 'boolean', variants: { on: true }, default_variant: 'on' };
const WEBHOOK = { url: 'https://receiver.invalid/mine', event_types: ['*'] };
const SPAN = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' };

const REVIEW = { reason: 'Looked at it.', reviewed_by: 'somebody' };
const FORM = {
  mediaType: 'multipart/form-data; boundary=b',
  body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nmine\r\n--b--\r\n',
};

const MATTER = { name: 'Mine', kind: 'OTHER' };

const RELEASE = {
  authority: { kind: 'SETTLEMENT', reference: 'Agreement of 2 March' },
  reason: 'Settled.',
  released_by: 'Counsel',
};

export const REST_CASES: Readonly<Record<string, readonly Case[]>> = {
  'POST /v1/events': [{ kind: 'own', body: EVENT, readAt: () => '/v1/events' }],
  'POST /v1/events/validate': [{ kind: 'own', body: EVENT, readAt: () => '/v1/events' }],
  'GET /v1/events': [list('event'), list('event', { query: `source_record_id=${SAME.sourceRecord}` })],
  'GET /v1/events/{id}': [record('event', '/v1/events/{id}')],
  'GET /v1/events/{id}/opening': [record('event', '/v1/events/{id}')],
  'GET /v1/events/{id}/raw': [record('rawEvent', '/v1/events/{id}/raw')],
  'GET /v1/events/{id}/links': [record('rawEvent', '/v1/events/{id}')],
  ...ADVOCACY_CASES,

  'POST /v1/custody': [
    {
      kind: 'own',
      body: { action: 'NOTED', subject: { kind: 'MEMBER', id: SAME.member } },
      readAt: () => '/v1/custody',
    },
  ],
  'GET /v1/custody': [list('custody'), list('custody', { query: `subject_kind=MEMBER&subject_id=${SAME.member}` })],
  'GET /v1/custody/verify': [{ kind: 'own' }],

  'GET /v1/exceptions': [list('exception'), list('exception', { query: 'kind=SOURCE_RECORD_CONFLICT' })],
  'GET /v1/exceptions/{id}': [record('exception', '/v1/exceptions/{id}')],
  'POST /v1/exceptions/{id}/assign': [record('exception', '/v1/exceptions/{id}', { body: { assignee: 'me' } })],
  'POST /v1/exceptions/{id}/resolve': [record('exception', '/v1/exceptions/{id}', { body: { resolution: 'mine' } })],
  'POST /v1/exceptions/{id}/mark-known-gap': [record('exception', '/v1/exceptions/{id}', { body: { reason: 'mine' } })],

  'GET /v1/jobs': [{ kind: 'own' }],
  'GET /v1/ledger/partitions': [{ kind: 'own' }],
  'GET /v1/ledger/verify': [{ kind: 'own' }],
  'GET /v1/ledger/checkpoints': [list('checkpoint')],
  'GET /v1/ledger/checkpoints/latest': [{ kind: 'own' }],
  'GET /v1/ledger/checkpoints/{id}': [record('checkpoint', '/v1/ledger/checkpoints/{id}')],
  'GET /v1/ledger/checkpoints/{id}/timestamp': [record('checkpoint', '/v1/ledger/checkpoints/{id}')],
  'GET /v1/ledger/operator-proof': [{ kind: 'own' }],
  'GET /v1/ledger/consistency': [{ kind: 'own' }],
  'GET /v1/events/{id}/proof': [record('event', null)],
  'POST /v1/ledger/incarnations': [
    { kind: 'own', body: { reason: 'none' }, readAt: (a) => `/v1/ledger/checkpoints/${a.ids.checkpoint}` },
  ],
  // Names that both tenants use; texts of A's own are looked for in test/areas/search.test.ts.
  'POST /v1/search': [{ kind: 'own', body: { query: SAME.sourceRecord } }],
  'POST /v1/ingest/raw/validate': [{ kind: 'own', body: 'MSH|^~\\&|', mediaType: 'text/plain' }],
  'POST /v1/ingest/raw': [{ kind: 'own', body: 'MSH|^~\\&|', mediaType: 'text/plain', readAt: () => '/v1/events' }],
  'GET /v1/ingest/{ingest_id}': [record('ingest', '/v1/ingest/{ingest_id}', { param: 'ingest_id' })],
  'GET /v1/ingest/{ingest_id}/results': [record('ingest', '/v1/ingest/{ingest_id}/results', { param: 'ingest_id' })],

  'POST /v1/tenants': [{ kind: 'own', body: { tenant_id: 'another', name: 'Another' } }],
  'GET /v1/tenants': [list('tenant')],
  'GET /v1/tenants/{id}': [record('tenant', '/v1/tenants/{id}')],
  'PATCH /v1/tenants/{id}': [record('tenant', '/v1/tenants/{id}', { body: { name: 'Mine now' }, status: 403 })],

  'POST /v1/actors': [reference('role_ids', 'role', (id) => ({ name: 'Somebody', role_ids: [id] }))],
  'GET /v1/actors': [list('actor')],
  'GET /v1/actors/{id}': [record('actor', '/v1/actors/{id}')],
  'PATCH /v1/actors/{id}': [record('actor', '/v1/actors/{id}', { body: { name: 'Mine now' } })],
  'POST /v1/actors/{id}/roles/{role_id}': [
    record('actor', '/v1/actors/{id}', { own: (b) => ({ role_id: b.ids.role }), body: {} }),
    record('role', '/v1/roles/{role_id}', { param: 'role_id', own: own('actor'), body: {} }),
  ],
  'DELETE /v1/actors/{id}/roles/{role_id}': [
    record('actor', '/v1/actors/{id}', { own: (b) => ({ role_id: b.ids.role }) }),
    // To take away what the actor does not have changes nothing, whatever it would have been.
    record('role', '/v1/roles/{role_id}', { param: 'role_id', own: own('actor'), status: 200 }),
  ],
  'POST /v1/roles': [{ kind: 'own', body: { name: 'mine', scopes: ['events:read'] }, readAt: () => '/v1/roles' }],
  'GET /v1/roles': [list('role')],
  'GET /v1/roles/{id}': [record('role', '/v1/roles/{id}')],
  'PATCH /v1/roles/{id}': [record('role', '/v1/roles/{id}', { body: { name: 'mine-now' } })],
  'DELETE /v1/roles/{id}': [record('role', '/v1/roles/{id}')],

  'POST /v1/api-keys': [
    reference('role_ids', 'role', (id) => ({ name: 'k', role_ids: [id] })),
    reference('actor_id', 'actor', (id) => ({ name: 'k', scopes: ['events:read'], actor_id: id })),
  ],
  'GET /v1/api-keys': [list('key')],
  'GET /v1/api-keys/{id}': [record('key', '/v1/api-keys/{id}')],
  'POST /v1/api-keys/{id}/rotate': [record('key', '/v1/api-keys/{id}', { body: {} })],
  'DELETE /v1/api-keys/{id}': [record('key', '/v1/api-keys/{id}')],

  'POST /v1/signing-keys': [{ kind: 'own', body: { purpose: 'BUNDLE' }, readAt: () => '/v1/signing-keys' }],
  'GET /v1/signing-keys': [list('signingKey')],
  'GET /v1/signing-keys/jwks': open('public keys are for everybody; with a key, those of its own tenant (below)'),
  'GET /v1/signing-keys/{id}': [record('signingKey', '/v1/signing-keys/{id}')],
  'POST /v1/signing-keys/{id}/activate': [record('signingKey', '/v1/signing-keys/{id}', { body: {} })],
  'POST /v1/signing-keys/{id}/retire': [record('signingKey', '/v1/signing-keys/{id}', { body: {} })],
  'POST /v1/signing-keys/{id}/revoke': [
    record('signingKey', '/v1/signing-keys/{id}', { body: { reason: 'KEY_COMPROMISE' } }),
  ],

  'GET /v1/feature-flags': [list('flag')],
  'GET /v1/feature-flags/{key}': [record('flag', '/v1/feature-flags/{key}', { param: 'key' })],
  // Tenants choose flag keys: B may use A's key for another flag, and A's flag does not change.
  'PUT /v1/feature-flags/{key}': [
    {
      kind: 'own',
      params: () => ({ key: SAME.changedFlag }),
      body: FLAG,
      readAt: () => `/v1/feature-flags/${SAME.changedFlag}`,
    },
  ],
  'DELETE /v1/feature-flags/{key}': [record('flag', '/v1/feature-flags/{key}', { param: 'key' })],
  'POST /v1/feature-flags/evaluate': [
    { kind: 'own', body: {} },
    { kind: 'own', body: { key: SAME.flag } },
  ],
  'POST /ofrep/v1/evaluate/flags/{key}': [
    record('flag', null, { param: 'key', body: {} }),
    { kind: 'own', params: () => ({ key: SAME.flag }), body: {} },
  ],
  'POST /ofrep/v1/evaluate/flags': [{ kind: 'own', body: {} }],

  'POST /v1/redactions': [
    reference('id', 'event', (id) => ({ ...REDACTION, subject: { kind: 'EVENT', id }, pointers: ['/payload'] })),
    reference('id', 'document', (id) => ({ ...REDACTION, subject: { kind: 'DOCUMENT', id }, terms: ['x'] })),
  ],
  'GET /v1/redactions': [list('redaction')],
  'GET /v1/redactions/{id}': [record('redaction', '/v1/redactions/{id}')],
  'PATCH /v1/redactions/{id}': [record('redaction', '/v1/redactions/{id}', { body: { reason: 'mine' } })],
  'DELETE /v1/redactions/{id}': [record('redaction', '/v1/redactions/{id}')],
  'POST /v1/redactions/{id}/apply': [record('redaction', '/v1/redactions/{id}', { body: {} })],
  'POST /v1/leads': [reference('duplicate_of', 'lead', (id) => ({ lead_type: 'PROSPECT', duplicate_of: id }))],
  'GET /v1/leads': [list('lead')],
  'GET /v1/leads/{id}': [record('lead', '/v1/leads/{id}')],
  'PATCH /v1/leads/{id}': [
    record('lead', '/v1/leads/{id}', { body: { score: 1 } }),
    reference('duplicate_of', 'lead', (id) => ({ duplicate_of: id }), own('lead')),
  ],
  'POST /v1/leads/{id}/contact': [record('lead', '/v1/leads/{id}', { body: {} })],
  'POST /v1/leads/{id}/qualify': [record('lead', '/v1/leads/{id}', { body: {} })],
  'POST /v1/leads/{id}/convert': [
    record('lead', '/v1/leads/{id}', { body: { converted_to: { kind: 'MATTER', id: 'x' } } }),
  ],
  'POST /v1/leads/{id}/close': [
    record('lead', '/v1/leads/{id}', { body: { reason: 'SPAM' } }),
    reference('duplicate_of', 'lead', (id) => ({ reason: 'DUPLICATE', duplicate_of: id }), own('lead')),
  ],

  'POST /v1/documents': [{ kind: 'own', ...FORM, readAt: () => '/v1/documents' }],
  'GET /v1/documents': [list('document'), list('document', { query: `member_id=${SAME.member}` })],
  'GET /v1/documents/{id}': [record('document', '/v1/documents/{id}')],
  'GET /v1/documents/{id}/metadata': [record('document', '/v1/documents/{id}/metadata')],
  'POST /v1/documents/{id}/events/{event_id}': [
    record('document', '/v1/documents/{id}/metadata', { own: (b) => ({ event_id: b.ids.event }), body: {} }),
    record('event', null, { param: 'event_id', own: own('document'), body: {} }),
  ],
  'DELETE /v1/documents/{id}/events/{event_id}': [
    record('document', '/v1/documents/{id}/metadata', { own: (b) => ({ event_id: b.ids.event }) }),
    record('event', null, { param: 'event_id', own: own('document') }),
  ],
  'GET /v1/quarantine': [list('quarantined'), list('quarantined', { query: `member_id=${SAME.member}` })],
  'POST /v1/quarantine/{id}/release': [record('quarantined', '/v1/documents/{id}/metadata', { body: REVIEW })],
  'POST /v1/quarantine/{id}/reject': [record('quarantined', '/v1/documents/{id}/metadata', { body: REVIEW })],

  'POST /v1/legal-holds': [
    {
      kind: 'own',
      body: { name: 'Mine', scope: { member_ids: [SAME.member] }, reason: 'r' },
      readAt: () => '/v1/legal-holds',
    },
  ],
  'GET /v1/legal-holds': [list('hold')],
  'GET /v1/legal-holds/{id}': [record('hold', '/v1/legal-holds/{id}')],
  'PATCH /v1/legal-holds/{id}': [record('hold', '/v1/legal-holds/{id}', { body: { reason: 'Mine now' } })],
  'POST /v1/legal-holds/{id}/release': [
    record('hold', '/v1/legal-holds/{id}', { body: RELEASE }),
    reference(
      'document_id',
      'document',
      (id) => ({ ...RELEASE, authority: { ...RELEASE.authority, document_id: id } }),
      own('hold'),
    ),
  ],
  'GET /v1/legal-holds/{id}/tombstones': [record('hold', '/v1/legal-holds/{id}/tombstones')],
  ...LEGAL_CASES,
  'GET /v1/retention-policies': [{ kind: 'own' }],
  'PUT /v1/retention-policies': [{ kind: 'own', body: { policies: [] }, readAt: () => '/v1/retention-policies' }],
  'POST /v1/retention/sweep': [{ kind: 'own', body: { dry_run: true } }],

  'POST /v1/legal-matters': [
    reference('exception_ids', 'exception', (id) => ({ ...MATTER, exception_ids: [id] })),
    reference('hold_ids', 'hold', (id) => ({ ...MATTER, hold_ids: [id] })),
    reference('bundle_ids', 'bundle', (id) => ({ ...MATTER, bundle_ids: [id] })),
    reference('document_ids', 'document', (id) => ({ ...MATTER, document_ids: [id] })),
  ],
  'GET /v1/legal-matters': [list('matter'), list('matter', { query: `member_id=${SAME.member}` })],
  'GET /v1/legal-matters/{id}': [record('matter', '/v1/legal-matters/{id}')],
  'PATCH /v1/legal-matters/{id}': [record('matter', '/v1/legal-matters/{id}', { body: { name: 'Mine now' } })],
  'POST /v1/legal-matters/{id}/close': [record('matter', '/v1/legal-matters/{id}', { body: {} })],
  ...matterLinkCases('members'),
  ...matterLinkCases('holds', 'hold'),
  ...matterLinkCases('bundles', 'bundle'),
  ...matterLinkCases('documents', 'document'),
  ...matterLinkCases('exceptions', 'exception'),

  'POST /v1/bundles': [{ kind: 'own', body: { scope: { member_id: SAME.member } }, readAt: () => '/v1/bundles' }],
  'GET /v1/bundles': [list('bundle'), list('bundle', { query: `member_id=${SAME.member}` })],
  'GET /v1/bundles/{id}': [record('bundle', '/v1/bundles/{id}')],
  'GET /v1/bundles/{id}/download': [record('bundle', '/v1/bundles/{id}')],
  'GET /v1/bundles/{id}/diff': [
    record('bundle', '/v1/bundles/{id}', { own: (b) => ({ against: b.ids.bundle }), query: ['against'] }),
  ],
  'GET /v1/bundles/{id}/edx': [record('bundle', '/v1/bundles/{id}')],
  'GET /v1/bundles/{id}/timestamp': [record('bundle', '/v1/bundles/{id}')],
  'POST /v1/bundles/{id}/regenerate': [record('bundle', '/v1/bundles/{id}', { body: {} })],
  'POST /v1/bundles/{id}/verify-signature': [record('bundle', '/v1/bundles/{id}', { body: {} })],

  'POST /v1/webhooks': [{ kind: 'own', body: WEBHOOK, readAt: () => '/v1/webhooks' }],
  'GET /v1/webhooks': [list('webhook')],
  'GET /v1/webhooks/event-types': [{ kind: 'own' }],
  'GET /v1/webhooks/{id}': [record('webhook', '/v1/webhooks/{id}')],
  'PATCH /v1/webhooks/{id}': [record('webhook', '/v1/webhooks/{id}', { body: { description: 'Mine now' } })],
  'DELETE /v1/webhooks/{id}': [record('webhook', '/v1/webhooks/{id}')],
  'POST /v1/webhooks/{id}/rotate-secret': [record('webhook', '/v1/webhooks/{id}', { body: {} })],
  'POST /v1/webhooks/{id}/test': [record('webhook', '/v1/webhooks/{id}', { body: {} })],
  'POST /v1/webhooks/{id}/recover': [record('webhook', '/v1/webhooks/{id}', { body: SPAN })],
  'GET /v1/webhooks/{id}/deliveries': [record('webhook', '/v1/webhooks/{id}')],
  'GET /v1/webhooks/{id}/deliveries/{delivery_id}': [
    record('webhook', null, { own: (b) => ({ delivery_id: b.ids.delivery }) }),
    record('delivery', null, { param: 'delivery_id', own: own('webhook') }),
  ],
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': [
    record('webhook', null, { own: (b) => ({ delivery_id: b.ids.delivery }), body: {} }),
    record('delivery', null, { param: 'delivery_id', own: own('webhook'), body: {} }),
  ],

  'POST /v1/source-feeds': [
    {
      kind: 'own',
      body: { source_system: 'my-own', expected_interval_seconds: 60 },
      readAt: () => '/v1/source-feeds',
    },
  ],
  'GET /v1/source-feeds': [list('feed')],
  'POST /v1/source-feeds/sweep': [{ kind: 'own', body: {}, readAt: (a) => `/v1/source-feeds/${a.ids.feed}` }],
  'GET /v1/source-feeds/{id}': [record('feed', '/v1/source-feeds/{id}')],
  'PATCH /v1/source-feeds/{id}': [record('feed', '/v1/source-feeds/{id}', { body: { grace_seconds: 1 } })],
  'DELETE /v1/source-feeds/{id}': [record('feed', '/v1/source-feeds/{id}')],
  'POST /v1/source-feeds/{id}/heartbeat': [record('feed', '/v1/source-feeds/{id}', { body: {} })],

  'POST /v1/connectors': [{ kind: 'own', body: CONNECTOR, readAt: () => '/v1/connectors' }],
  'GET /v1/connectors': [list('connector')],
  'GET /v1/connectors/{id}': [record('connector', '/v1/connectors/{id}')],
  'PATCH /v1/connectors/{id}': [record('connector', '/v1/connectors/{id}', { body: { name: 'mine' } })],
  'DELETE /v1/connectors/{id}': [record('connector', '/v1/connectors/{id}')],
  'POST /v1/connectors/{id}/enable': [record('connector', '/v1/connectors/{id}', { body: {} })],
  'POST /v1/connectors/{id}/disable': [record('connector', '/v1/connectors/{id}', { body: {} })],
  'POST /v1/connectors/{id}/test': [record('connector', '/v1/connectors/{id}', { body: {} })],
  'POST /v1/connectors/{id}/fhir': [
    record('connector', '/v1/connectors/{id}', { body: { resourceType: 'Patient', id: 'mine' } }),
  ],

  'POST /v1/ai-decisions': [reference('event_id', 'event', (id) => ({ ...DECISION, event_id: id }))],
  'GET /v1/ai-decisions': [list('decision')],
  'GET /v1/ai-decisions/summary': [{ kind: 'own' }],
  'GET /v1/ai-decisions/export': [{ kind: 'own' }],
  'GET /v1/ai-decisions/{id}': [record('decision', '/v1/ai-decisions/{id}')],
  'GET /v1/ai-decisions/{id}/export': [record('decision', '/v1/ai-decisions/{id}')],
  'POST /v1/ai-decisions/{id}/override': [
    record('decision', '/v1/ai-decisions/{id}', {
      body: { outcome: 'APPROVE', reason: 'mine', overridden_by: 'me' },
    }),
  ],

  'POST /v1/members': [
    { kind: 'own', body: { member_id: 'M-mine', name: { family: 'Mine' } }, readAt: () => '/v1/members' },
  ],
  'GET /v1/members': [list('person')],
  'GET /v1/members/search': [list('person', { query: 'q=Sameson' })],
  'POST /v1/members/match': [{ kind: 'own', body: { record: { name: { family: 'Sameson', given: ['Sam'] } } } }],
  'GET /v1/members/{id}': [record('person', '/v1/members/{id}')],
  'PATCH /v1/members/{id}': [record('person', '/v1/members/{id}', { body: { program: 'Mine' } })],
  'POST /v1/members/{id}/merge': [
    record('person', '/v1/members/{id}', { body: { source_member_id: 'P-mine' } }),
    reference('source_member_id', 'person', (id) => ({ source_member_id: id }), own('person')),
  ],
  'POST /v1/members/{id}/unmerge': [
    record('person', '/v1/members/{id}', { body: { source_member_id: 'P-mine' } }),
    reference('source_member_id', 'person', (id) => ({ source_member_id: id }), own('person')),
  ],
  'GET /v1/members/{id}/timeline': [record('person', '/v1/members/{id}')],
  'GET /v1/members/{id}/history': [record('person', '/v1/members/{id}')],

  ...ACCESS_CASES,
  'GET /v1/dashboard': [{ kind: 'own' }],
  ...GRAPH_CASES,
  ...VISIT_CASES,
  ...DATA_RIGHT_CASES,
  'GET /v1/questions': open('queries without data, the same for everybody'),
  'GET /v1/healthz': open('states of parts, no records'),
  'GET /v1/healthz/ready': open('states of parts, no records'),
  'GET /v1/openapi.json': open('the description, the same for everybody'),
  'POST /graphql': open('field by field below'),
};

/** Members of bodies that look like references, and why each is none. */
export const NO_REFERENCES: Readonly<Record<string, string>> = {
  tenant_id: 'names the tenant: another one is TENANT_MISMATCH on every route (below)',
  member_id: "the sender's own string",
  source_record_id: "the sender's own string",
  converted_to: 'a note of kind and id, looked up nowhere',
  reviewer_id: "the sender's own name of a person, looked up nowhere",
  assigned_to: 'a note of who works on it, looked up nowhere',
  id: "of converted_to: a note, looked up nowhere; of the subjects of custody: another tenant's is rejected as unknown",
  member_ids: "the senders' own strings, looked up nowhere",
  matter_id: "of the scope of a bundle or a hold: one of nobody is rejected, and so is another tenant's",
  incident_id: "the senders' own strings",
  effective_to: 'a time',
  event_ids: "of the scope of a hold: one of nobody is rejected, and so is another tenant's",
  document_ids: 'of a legal matter: looked up above; of the scope of a hold: one of nobody is rejected',
};

/** Entities that subgraphs resolve by reference: representation of A's record, asked with B's identity. */
export const ENTITY_CASES: Readonly<Record<string, (a: World) => Readonly<Record<string, unknown>>>> = {
  Actor: (a) => ({ actor_id: a.ids.actor }),
  AiDecision: (a) => ({ decision_id: a.ids.decision }),
  ApiKey: (a) => ({ key_id: a.ids.key }),
  Bundle: (a) => ({ bundle_id: a.ids.bundle }),
  // Names that senders choose: to B they lead to B's own events.
  Claim: () => ({ claim_id: 'CLM-1' }),
  Code: () => ({ system: 'carc', code: '50' }),
  Connector: (a) => ({ connector_id: a.ids.connector }),
  CustodyActor: (a) => ({ type: 'KEY', id: a.ids.key }),
  Document: (a) => ({ document_id: a.ids.document }),
  EventRecord: (a) => ({ event_id: a.ids.event }),
  Exception: (a) => ({ exception_id: a.ids.exception }),
  LegalHold: (a) => ({ hold_id: a.ids.hold }),
  LegalMatter: (a) => ({ matter_id: a.ids.matter }),
  Member: (a) => ({ member_id: a.ids.person }),
  Provider: () => ({ npi: '1234567893' }),
  Redaction: (a) => ({ redaction_id: a.ids.redaction }),
  SourceFeed: (a) => ({ feed_id: a.ids.feed }),
  TimelineMember: (a) => ({ member_id: a.ids.person }),
  Webhook: (a) => ({ webhook_id: a.ids.webhook }),
};

import type { Document } from 'mongodb';
import type { FactKind } from '../../../shared/facts/fact.js';
import { sealed } from '../../bundles/bundles-kit.js';
import { envelope } from '../../support/envelopes.js';
import type { Answer, Http } from '../../support/http.js';
import { redactionOf } from '../../support/records.js';
import { programOf, uploadScanned } from '../../vault/vault-kit.js';

// Every list of records with facts: how to make a record, and how to edit its row out of each condition of the list.

/** A tenant, seen by a key of it that may do everything. */
export interface World {
  readonly tenantId: string;
  readonly http: Http;
  readonly operator: Http;
}

/** A condition that the record meets, and an edit of its row after which the row does not meet it. */
interface Condition {
  readonly value: (made: Document) => string;
  readonly edit: Document;
  /** Makes a record that meets the condition, where the list's own does not. */
  readonly make?: (world: World) => Promise<Document>;
}

export interface ListOfRecords {
  readonly kind: FactKind;
  readonly path: string;
  readonly collection: string;
  /** Member of an answer that identifies the record. */
  readonly id: string;
  /** Member of the made record that replaces `{id}` in the path. */
  readonly under?: string;
  readonly make: (world: World) => Promise<Document>;
  readonly conditions: Readonly<Record<string, Condition>>;
}

const MEMBER = 'M-1';
const OLD = new Date('2001-01-01T00:00:00.000Z');
const NEW = new Date('2101-01-01T00:00:00.000Z');

const given = (value: string, edit: Document): Condition => ({ value: () => value, edit });
const own = (name: string, edit: Document): Condition => ({ value: (made) => String(made[name]), edit });

const TIMES = {
  from: given('2020-01-01T00:00:00Z', { created_at: OLD }),
  to: given('2100-01-01T00:00:00Z', { created_at: NEW }),
} as const;

async function accepted(call: Promise<Answer>): Promise<Document> {
  const { status, json, text } = await call;
  if (status >= 300) throw new Error(`answered ${status}: ${text}`);
  return json;
}

const RULE = {
  kind: 'REASON_CODE',
  title: 'Not needed, in words of Acme',
  key: 'acme',
  effective_from: '2024-01-01',
  program: 'Commercial',
  jurisdiction: 'US',
  codes: ['CARC/50'],
  body: 'Acme found the service not medically needed.',
};
const HOLD = { name: 'Doe', reason: 'Litigation.', scope: { member_ids: [MEMBER] } };

async function documentOf({ http }: World, bytes?: Uint8Array): Promise<Document> {
  const { event_id } = await accepted(http.post('/v1/events', envelope('list')));
  const matter = await accepted(http.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION' }));
  const fields = {
    document_type: 'LETTER',
    source_system: 'um-core',
    member_id: MEMBER,
    event_ids: [event_id],
    matter_id: matter['matter_id'],
    tags: ['appeal'],
  };
  const made = await accepted(uploadScanned(http, bytes === undefined ? 'A letter.' : { bytes }, fields));
  return { ...made, event_id, matter_id: matter['matter_id'] };
}

const DOCUMENT_CONDITIONS = {
  document_type: given('LETTER', { document_type: 'OTHER' }),
  event_id: own('event_id', { event_ids: [] }),
  filename: own('filename', { filename: 'other' }),
  matter_id: own('matter_id', { matter_id: null }),
  media_type: own('media_type', { media_type: 'text/csv' }),
  member_id: given(MEMBER, { member_ids: ['M-2'] }),
  sha256: own('sha256', { sha256: 'b'.repeat(64) }),
  source_system: given('um-core', { source_system: 'other' }),
  tag: given('appeal', { tags: [] }),
  ...TIMES,
} as const;

/** A notice to an actor, who reads it with a key of their own. */
async function noticeOf({ http, operator, tenantId }: World): Promise<Document> {
  const hold = await accepted(http.post('/v1/legal-holds', HOLD));
  const actor = await accepted(
    operator.post('/v1/actors', { tenant_id: tenantId, name: 'Jane', role_ids: ['analyst'] }),
  );
  const key = { tenant_id: tenantId, name: 'Jane', scopes: ['events:read'], actor_id: actor['actor_id'] };
  const { api_key } = await accepted(operator.post('/v1/api-keys', key));
  const notice = { custodian: 'Jane', custodian_id: actor['actor_id'], text: 'Preserve all.' };
  const made = await accepted(http.post(`/v1/legal-holds/${hold['hold_id']}/notices`, notice));
  return { ...made, hold_id: hold['hold_id'], reader: operator.as(api_key) };
}

export const LISTS: readonly ListOfRecords[] = [
  {
    kind: 'document',
    path: '/v1/documents',
    collection: 'documents',
    id: 'document_id',
    make: documentOf,
    conditions: {
      ...DOCUMENT_CONDITIONS,
      scan_status: given('CLEAN', { 'scan.status': 'PENDING' }),
      status: given('AVAILABLE', { status: 'DISPOSED' }),
    },
  },
  {
    kind: 'document',
    path: '/v1/quarantine',
    collection: 'documents',
    id: 'document_id',
    make: (world) => documentOf(world, programOf(1)),
    conditions: DOCUMENT_CONDITIONS,
  },
  {
    kind: 'hold',
    path: '/v1/legal-holds',
    collection: 'legal_holds',
    id: 'hold_id',
    make: async ({ http }) => {
      const { matter_id } = await accepted(http.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION' }));
      return accepted(http.post('/v1/legal-holds', { ...HOLD, matter_id }));
    },
    conditions: {
      matter_id: own('matter_id', { matter_id: null }),
      name: given('Doe', { name: 'Roe' }),
      status: given('ACTIVE', { status: 'RELEASED' }),
      ...TIMES,
    },
  },
  {
    kind: 'hold-notice',
    path: '/v1/legal-holds/{id}/notices',
    collection: 'hold_notices',
    id: 'notice_id',
    under: 'hold_id',
    make: async (world) => {
      const { reader: _, ...made } = await noticeOf(world);
      return made;
    },
    conditions: { status: own('status', { status: 'WITHDRAWN' }), ...TIMES },
  },
  {
    kind: 'hold-notice',
    path: '/v1/hold-notices',
    collection: 'hold_notices',
    id: 'notice_id',
    make: noticeOf,
    conditions: { status: own('status', { status: 'WITHDRAWN' }), ...TIMES },
  },
  {
    kind: 'redaction',
    path: '/v1/redactions',
    collection: 'redactions',
    id: 'redaction_id',
    make: async ({ http }) => {
      const { event_id } = await accepted(http.post('/v1/events', envelope('list')));
      return accepted(http.post('/v1/redactions', redactionOf({ kind: 'EVENT', id: event_id })));
    },
    conditions: {
      status: given('DRAFT', { status: 'CANCELLED' }),
      subject_id: { value: ({ subject }) => subject.id, edit: { 'subject.id': 'evt_other' } },
      subject_kind: given('EVENT', { 'subject.kind': 'DOCUMENT' }),
      ...TIMES,
    },
  },
  {
    kind: 'matter',
    path: '/v1/legal-matters',
    collection: 'legal_matters',
    id: 'matter_id',
    make: ({ http }) =>
      accepted(http.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION', member_ids: [MEMBER] })),
    conditions: {
      kind: given('LITIGATION', { kind: 'AUDIT' }),
      member_id: given(MEMBER, { member_ids: ['M-2'] }),
      name: given('Doe', { name: 'Roe' }),
      status: given('OPEN', { status: 'CLOSED' }),
      ...TIMES,
    },
  },
  {
    kind: 'bundle',
    path: '/v1/bundles',
    collection: 'bundles',
    id: 'bundle_id',
    make: ({ http }) => sealed(http, { scope: { member_id: MEMBER } }),
    conditions: {
      bundle_type: own('bundle_type', { bundle_type: 'OTHER' }),
      incident_id: {
        ...given('INC-1', { 'scope.incident_id': 'INC-2' }),
        make: async ({ http }) => {
          await accepted(http.post('/v1/events', { ...envelope('list'), payload: { incident_id: 'INC-1' } }));
          return sealed(http, { scope: { incident_id: 'INC-1' } });
        },
      },
      matter_id: {
        ...own('matter_id', { 'scope.matter_id': 'mat_other' }),
        make: async ({ http }) => {
          const { matter_id } = await accepted(http.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION' }));
          return { ...(await sealed(http, { scope: { matter_id } })), matter_id };
        },
      },
      member_id: given(MEMBER, { 'scope.member_id': 'M-2' }),
      status: given('SEALED', { status: 'FAILED' }),
      ...TIMES,
    },
  },
  {
    kind: 'bundle-link',
    path: '/v1/bundles/{id}/links',
    collection: 'bundle_links',
    id: 'link_id',
    under: 'bundle_id',
    make: async ({ http }) => {
      const { bundle_id } = await sealed(http, { scope: { member_id: MEMBER } });
      const link = { recipient: 'Roe & Partners LLP', purpose: 'Discovery', expires_in_hours: 1 };
      return { ...(await accepted(http.post(`/v1/bundles/${bundle_id}/links`, link))), bundle_id };
    },
    conditions: { status: own('status', { status: 'REVOKED' }), ...TIMES },
  },
  {
    kind: 'data-right',
    path: '/v1/data-rights',
    collection: 'data_rights',
    id: 'data_right_id',
    make: async ({ http }) => {
      const event = envelope('list');
      await accepted(http.post('/v1/events', event));
      const { member_id } = event;
      return accepted(http.post('/v1/data-rights', { member_id, right: 'ACCESS' }));
    },
    conditions: {
      member_id: own('member_id', { member_id: 'M-2' }),
      overdue: given('false', { deadline: OLD }),
      right: given('ACCESS', { right: 'AMENDMENT' }),
      status: own('status', { status: 'COMPLETED' }),
      ...TIMES,
    },
  },
  {
    kind: 'consent',
    path: '/v1/consent',
    collection: 'consents',
    id: 'consent_id',
    make: ({ http }) =>
      accepted(http.post('/v1/consent', { member_id: MEMBER, decision: 'DENY', purpose: 'MARKETING' })),
    conditions: {
      decision: given('DENY', { decision: 'PERMIT' }),
      member_id: given(MEMBER, { member_id: 'M-2' }),
      purpose: given('MARKETING', { purpose: 'RESEARCH' }),
      status: given('ACTIVE', { status: 'REVOKED' }),
      ...TIMES,
    },
  },
  {
    kind: 'rule',
    path: '/v1/rules',
    collection: 'rules',
    id: 'rule_id',
    make: ({ http }) => accepted(http.post('/v1/rules', RULE)),
    conditions: {
      kind: given('REASON_CODE', { kind: 'GUIDELINE' }),
      code: given('CARC/50', { index_codes: [] }),
      program: given('Commercial', { program: 'Medicaid' }),
      jurisdiction: given('US', { jurisdiction: 'US-CA' }),
      key: given('acme', { key: 'another' }),
      shared: given('false', { tenant_id: 't-another' }),
      at: given('2025-01-01T00:00:00Z', { periods: [] }),
      ...TIMES,
    },
  },
];

/** Lists of rows without facts. */
export const WITHOUT_FACTS: Readonly<Record<string, string>> = {
  '/v1/events': 'Entries of the ledger: each is proven by itself, and verification finds a missing one.',
  '/v1/custody': 'Entries of the ledger.',
  '/v1/ai-decisions': 'Entries of the ledger, which the list asks besides its index.',
  '/v1/ai-decisions/export': 'Entries of the ledger, which the list asks besides its index.',
  '/v1/ledger/checkpoints': 'Signed notes.',
  '/v1/members/{id}/timeline': 'Joins other lists of one member, which facts name.',
  '/v1/data-rights/{id}/disclosures': 'Entries of custody.',
  '/v1/rules/{id}/revisions': 'Parts of one rule, which is compared whole.',
  '/v1/legal-holds/{id}/tombstones': 'Derived from events and documents.',
  '/v1/ingest/{ingest_id}/results': 'Derived from raw messages.',
  '/v1/graph/neighbors': 'Derived from events and records.',
  '/v1/exceptions': 'Work of people, named in the threat table of docs/evidence.md.',
  '/v1/members': 'Demographic fields, named in the threat table of docs/evidence.md.',
  '/v1/members/{id}/history': 'Demographic fields, named in the threat table of docs/evidence.md.',
  '/v1/appointments': 'Named in the threat table of docs/evidence.md.',
  '/v1/care-team': 'Named in the threat table of docs/evidence.md.',
  '/v1/leads': 'Named in the threat table of docs/evidence.md.',
  '/v1/connectors': 'Named in the threat table of docs/evidence.md.',
  '/v1/source-feeds': 'Named in the threat table of docs/evidence.md.',
  '/v1/feature-flags': 'Named in the threat table of docs/evidence.md.',
  '/v1/webhooks': 'Named in the threat table of docs/evidence.md.',
  '/v1/webhooks/{id}/deliveries': 'Named in the threat table of docs/evidence.md.',
  '/v1/actors': 'Access to the service, named in the threat table of docs/evidence.md.',
  '/v1/roles': 'Access to the service, named in the threat table of docs/evidence.md.',
  '/v1/api-keys': 'Access to the service, named in the threat table of docs/evidence.md.',
  '/v1/sessions': 'Access to the service, named in the threat table of docs/evidence.md.',
  '/v1/saved-views': 'Settings of screens.',
  '/v1/signing-keys': 'Compared with the keys of the signer.',
  '/v1/tenants': 'Settings of the deployment.',
};

/** Kinds of facts without a list of their own, and where they are read. */
export const WITHOUT_LISTS: Readonly<Partial<Record<FactKind, string>>> = {
  'event-redaction': 'The event.',
  'document-redaction': 'The document.',
  disposal: 'The event or the document.',
  'disposal-order': 'The disposal, which compares all orders.',
  member: 'The member.',
  'member-merges': 'The member.',
  'consent-policy': 'One record a tenant.',
  'retention-policy': 'One record a tenant, which holds all policies.',
};

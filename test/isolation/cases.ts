import type { RecordKind, World } from './world.js';
import { SAME } from './world.js';

// What tenant B tries on each route against what tenant A has. A route that stands here with no case, or not at all,
// fails the matrix by its name.

/** The route is about no tenant's records. */
interface OpenCase {
  readonly kind: 'open';
  readonly why: string;
}

/** The route names a record in its path: A's must be to B what never was. */
interface RecordCase {
  readonly kind: 'record';
  /** The path parameter that names the record. */
  readonly param: string;
  readonly record: RecordKind;
  /** Well-formed, and nobody's. */
  readonly missing: string;
  /** The other parameters of the path, B's own. */
  readonly own?: (b: World) => Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** 404 unless told: the same for a record of A's and for none, which is what counts. */
  readonly status?: number;
  /** Where A reads the record, to see that it was left alone; null: there is nothing to see. */
  readonly readAt: string | null;
}

/** The route shows many: none of them A's. */
interface ListCase {
  readonly kind: 'list';
  readonly params?: (w: World) => Readonly<Record<string, string>>;
  /** Ids that A's own list holds, so that the case is not an empty one. */
  readonly holds: RecordKind;
  /** Query by names that both tenants use. */
  readonly query?: string;
}

/** The body refers to a record: A's must be refused as one that never was. */
interface ReferenceCase {
  readonly kind: 'reference';
  readonly member: string;
  readonly record: RecordKind;
  readonly missing: string;
  readonly params?: (b: World) => Readonly<Record<string, string>>;
  readonly body: (reference: string) => unknown;
}

/** The route works on what the caller has, whatever it is asked: A's data is in no answer, and stays as it is. */
interface OwnCase {
  readonly kind: 'own';
  readonly params?: (a: World) => Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly mediaType?: string;
  /** Where A reads what B must not have touched. */
  readonly readAt?: (a: World) => string;
}

export type Case = OpenCase | RecordCase | ListCase | ReferenceCase | OwnCase;

const ULID = '01JQ0000000000000000000001';
const MISSING: Readonly<Record<RecordKind, string>> = {
  tenant: 'never-made',
  event: `evt_${ULID}`,
  ingest: `ing_${ULID}`,
  actor: `act_${ULID}`,
  role: `rol_${ULID}`,
  key: `key_${ULID}`,
  signingKey: 'A'.repeat(43),
  flag: 'only-never-made',
  lead: `led_${ULID}`,
};

const open = (why: string): readonly Case[] => [{ kind: 'open', why }];
const record = (kind: RecordKind, readAt: string | null, over: Partial<RecordCase> = {}): RecordCase => ({
  kind: 'record',
  param: 'id',
  record: kind,
  missing: MISSING[kind],
  readAt,
  ...over,
});
const list = (holds: RecordKind, over: Partial<ListCase> = {}): ListCase => ({ kind: 'list', holds, ...over });
const reference = (
  member: string,
  kind: RecordKind,
  body: (reference: string) => unknown,
  params?: (b: World) => Readonly<Record<string, string>>,
): ReferenceCase => ({
  kind: 'reference',
  member,
  record: kind,
  missing: MISSING[kind],
  body,
  ...(params ? { params } : {}),
});

const EVENT = {
  event_family: 'f',
  event_type: 't',
  source_system: 'um-1',
  source_record_id: SAME.sourceRecord,
  member_id: SAME.member,
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
};
const FLAG = { type: 'boolean', variants: { on: true }, default_variant: 'on' };
const own = (id: RecordKind) => (b: World) => ({ id: b.ids[id] });

export const REST_CASES: Readonly<Record<string, readonly Case[]>> = {
  'POST /v1/events': [{ kind: 'own', body: EVENT, readAt: () => '/v1/events' }],
  'POST /v1/events/validate': [{ kind: 'own', body: EVENT, readAt: () => '/v1/events' }],
  'GET /v1/events': [list('event'), list('event', { query: `source_record_id=${SAME.sourceRecord}` })],
  'GET /v1/events/{id}': [record('event', '/v1/events/{id}')],
  'GET /v1/jobs': [{ kind: 'own' }],
  'GET /v1/ledger/partitions': [{ kind: 'own' }],
  'GET /v1/ledger/verify': [{ kind: 'own' }],
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
  // Keys are the callers' own: B may use A's for a flag of its own, and A's stays as it is.
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

  'GET /v1/dashboard': [{ kind: 'own' }],
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
  assigned_to: 'a note of who works on it, looked up nowhere',
  id: 'of converted_to: a note, looked up nowhere',
};

/** Root fields of the graph that no route runs; each needs the reason why a stranger gains nothing by it. */
export const GRAPH_ONLY_FIELDS: Readonly<Record<string, string>> = {};

/** Entities that subgraphs resolve by reference: representation of A's record, asked with B's identity. */
export const ENTITY_CASES: Readonly<Record<string, (a: World) => Readonly<Record<string, unknown>>>> = {};

import type { Db, Document } from 'mongodb';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { type Answer, Http } from '../support/http.js';
import { uploadScanned } from '../vault/vault-kit.js';

// Rows as an earlier version of the service left them: without facts. The service makes each record in one tenant, and
// the test moves its row, without its fact, into another tenant whose ledger has no fact of it.

export interface Tenant {
  readonly tenantId: string;
  readonly http: Http;
}

/** A record of one kind, made by the service in `source`. */
interface Made {
  readonly id: string;
  /** Identifier of the row; the identifier of the record by default. */
  readonly _id?: unknown;
}

interface Moved extends Made {
  readonly target: Tenant;
  /** An event of the target. */
  readonly eventId: string;
}

/** One kind with facts. */
export interface OldKind {
  readonly kind: string;
  readonly collection: string;
  readonly make: (source: Tenant, target: Tenant) => Promise<Made>;
  /** Changes of the row besides its tenant and its fact. */
  readonly change?: (row: Document, moved: Omit<Moved, '_id'>) => Document;
  /** The read that shows the record. */
  readonly read: (moved: Moved) => Promise<Answer>;
  /** A next step on the record, where there is one. */
  readonly step?: (moved: Moved) => Promise<Answer>;
}

const REASON = { reason: 'Litigation.', authority: 'Counsel' };
const RELEASE = {
  released_by: 'General Counsel',
  reason: 'Settled.',
  authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
};
const WHY = { reason: 'Names a third person.', basis: '45 CFR 164.502(b)' };

async function done(call: Promise<Answer>): Promise<Document> {
  const { status, json, text } = await call;
  if (status >= 300) throw new Error(text);
  return json;
}

const posted = async (http: Http, name: string): Promise<string> =>
  (await done(http.post('/v1/events', { ...envelope(name), payload: { note: 'unutterable' } })))['event_id'];

const consentOf = (decision: string) => ({ member_id: 'M-1', decision, purpose: 'MARKETING' });
const person = (id: string) => ({ member_id: id, name: { family: 'Sameson', given: [id] } });
const MERGED = ['M-a', 'M-b', 'M-c'];

export const RULE = {
  key: 'CARC-96',
  title: 'Site visit was missing.',
  kind: 'REASON_CODE',
  effective_from: '2020-01-01T00:00:00.000Z',
  codes: ['CARC/96'],
  body: 'Plan rule on site visits.',
};

/** A bundle of the target, under which the moved link is listed. */
let linkedBundle = '';
/** A hold of the target, under which the moved notice is listed. */
let noticedHold = '';

export const OLD_KINDS: readonly OldKind[] = [
  {
    kind: 'hold',
    collection: 'legal_holds',
    make: async ({ http }) => {
      const body = { name: 'Old', scope: { member_ids: ['M-1'] }, ...REASON };
      return { id: (await done(http.post('/v1/legal-holds', body)))['hold_id'] };
    },
    read: ({ target, id }) => target.http.get(`/v1/legal-holds/${id}`),
    step: ({ target, id }) => target.http.post(`/v1/legal-holds/${id}/release`, RELEASE),
  },
  {
    kind: 'hold-notice',
    collection: 'hold_notices',
    make: async (source, target) => {
      const placed = { name: 'Old', scope: { member_ids: ['M-1'] }, ...REASON };
      noticedHold = (await done(target.http.post('/v1/legal-holds', placed)))['hold_id'];
      const { hold_id } = await done(source.http.post('/v1/legal-holds', placed));
      const notice = { custodian: 'Roe', text: 'Keep it.' };
      return { id: (await done(source.http.post(`/v1/legal-holds/${hold_id}/notices`, notice)))['notice_id'] };
    },
    change: (row) => ({ ...row, hold_id: noticedHold }),
    read: ({ target }) => target.http.get(`/v1/legal-holds/${noticedHold}/notices`),
    step: ({ target, id }) => target.http.post(`/v1/hold-notices/${id}/remind`, {}),
  },
  {
    kind: 'matter',
    collection: 'legal_matters',
    make: async ({ http }) => {
      const body = { name: 'Old', kind: 'AUDIT', member_ids: ['M-1'] };
      return { id: (await done(http.post('/v1/legal-matters', body)))['matter_id'] };
    },
    read: ({ target, id }) => target.http.get(`/v1/legal-matters/${id}`),
    step: ({ target, id }) => target.http.post(`/v1/legal-matters/${id}/close`, {}),
  },
  {
    kind: 'bundle',
    collection: 'bundles',
    make: async ({ http }) => {
      await posted(http, 'bundled');
      const { bundle_id: id } = await done(http.post('/v1/bundles', { scope: { member_id: 'M-1' } }));
      const read = () => http.get(`/v1/bundles/${id}`);
      await eventually(read, ({ json }) => json.status === 'SEALED');
      return { id };
    },
    read: ({ target, id }) => target.http.get(`/v1/bundles/${id}`),
  },
  {
    kind: 'bundle-link',
    collection: 'bundle_links',
    make: async ({ http }, target) => {
      const scope = { member_id: 'M-linked' };
      linkedBundle = (await done(target.http.post('/v1/bundles', { scope })))['bundle_id'];
      const { bundle_id: id } = await done(http.post('/v1/bundles', { scope }));
      await eventually(
        () => http.get(`/v1/bundles/${id}`),
        ({ json }) => json.status === 'SEALED',
      );
      const body = { recipient: 'Roe', purpose: 'Discovery', expires_in_hours: 1 };
      return { id: (await done(http.post(`/v1/bundles/${id}/links`, body)))['link_id'] };
    },
    change: (row) => ({ ...row, bundle_id: linkedBundle }),
    read: ({ target }) => target.http.get(`/v1/bundles/${linkedBundle}/links`),
    step: ({ target, id }) => target.http.call(`/v1/bundles/${linkedBundle}/links/${id}`, { method: 'DELETE' }),
  },
  {
    kind: 'document',
    collection: 'documents',
    make: async ({ http }) => ({ id: (await done(uploadScanned(http, 'An old letter.')))['document_id'] }),
    read: ({ target, id }) => target.http.get(`/v1/documents/${id}/metadata`),
    step: ({ target, id, eventId }) => target.http.post(`/v1/documents/${id}/events/${eventId}`, {}),
  },
  {
    kind: 'document-redaction',
    collection: 'documents',
    make: async ({ http }) => {
      const { document_id: id } = await done(uploadScanned(http, 'An unutterable letter.'));
      const draft = { subject: { kind: 'DOCUMENT', id }, terms: ['unutterable'], ...WHY };
      const { redaction_id } = await done(http.post('/v1/redactions', draft));
      await done(http.post(`/v1/redactions/${redaction_id}/apply`, {}));
      return { id };
    },
    // An earlier version stated the number of the redaction in the history alone.
    change: ({ rendition, ...row }) => {
      const { fact: _, ordinal: __, ...shown } = rendition;
      return { ...row, rendition: shown };
    },
    read: ({ target, id }) => target.http.get(`/v1/documents/${id}/metadata`),
    step: ({ target, id, eventId }) => target.http.post(`/v1/documents/${id}/events/${eventId}`, {}),
  },
  {
    kind: 'redaction',
    collection: 'redactions',
    make: async ({ http }) => {
      const subject = { kind: 'EVENT', id: await posted(http, 'drafted') };
      const draft = { subject, pointers: ['/payload/note'], ...WHY };
      return { id: (await done(http.post('/v1/redactions', draft)))['redaction_id'] };
    },
    change: (row, { eventId: id }) => ({ ...row, subject: { kind: 'EVENT', id } }),
    read: ({ target, id }) => target.http.get(`/v1/redactions/${id}`),
    step: ({ target, id }) => target.http.post(`/v1/redactions/${id}/apply`, {}),
  },
  {
    kind: 'event-redaction',
    collection: 'event_redactions',
    make: async (source, target) => {
      const id = await posted(source.http, 'hidden');
      const draft = { subject: { kind: 'EVENT', id }, pointers: ['/payload/note'], ...WHY };
      const { redaction_id } = await done(source.http.post('/v1/redactions', draft));
      await done(source.http.post(`/v1/redactions/${redaction_id}/apply`, {}));
      await eventually(
        () => source.http.get(`/v1/events/${id}`),
        ({ text }) => !text.includes('unutterable'),
      );
      const moved = await posted(target.http, 'hidden-before');
      return { id: moved, _id: { tenant_id: source.tenantId, event_id: id } };
    },
    read: ({ target, id }) => target.http.get(`/v1/events/${id}`),
  },
  {
    kind: 'consent',
    collection: 'consents',
    make: async ({ http }) => ({ id: (await done(http.post('/v1/consent', consentOf('DENY'))))['consent_id'] }),
    read: ({ target, id }) => target.http.get(`/v1/consent/${id}`),
    step: ({ target, id }) => target.http.post(`/v1/consent/${id}/revoke`, { reason: 'Thought again.' }),
  },
  {
    kind: 'data-right',
    collection: 'data_rights',
    make: async ({ http }) => {
      await posted(http, 'asked');
      const body = { member_id: 'M-asked', right: 'ACCESS' };
      return { id: (await done(http.post('/v1/data-rights', body)))['data_right_id'] };
    },
    read: ({ target, id }) => target.http.get(`/v1/data-rights/${id}`),
    step: ({ target, id }) => target.http.post(`/v1/data-rights/${id}/verify`, { how: 'Known.' }),
  },
  {
    kind: 'consent-policy',
    collection: 'consent_policies',
    make: async ({ http, tenantId }) => {
      await done(http.call('/v1/consent/policy', { method: 'PUT', body: { part2_source_systems: ['clinic'] } }));
      return { id: tenantId };
    },
    read: ({ target }) => target.http.get('/v1/consent/policy'),
    step: ({ target }) =>
      target.http.call('/v1/consent/policy', { method: 'PUT', body: { part2_source_systems: ['clinic', 'other'] } }),
  },
  {
    kind: 'retention-policy',
    collection: 'retention_policies',
    make: async ({ http, tenantId }) => {
      const policies = [{ event_family: 'claims', years: 12 }];
      await done(http.call('/v1/retention-policies', { method: 'PUT', body: { policies } }));
      return { id: tenantId };
    },
    read: ({ target }) => target.http.get('/v1/retention-policies'),
    step: ({ target }) => target.http.call('/v1/retention-policies', { method: 'PUT', body: { policies: [] } }),
  },
  {
    kind: 'rule',
    collection: 'rules',
    make: async ({ http }) => {
      const { rule_id: id } = await done(http.post('/v1/rules', RULE));
      await done(http.post('/v1/rules', { ...RULE, title: 'Second.', effective_from: '2024-01-01T00:00:00.000Z' }));
      return { id };
    },
    read: ({ target, id }) => target.http.get(`/v1/rules/${id}`),
    step: ({ target }) =>
      target.http.post('/v1/rules', { ...RULE, title: 'Third.', effective_from: '2025-01-01T00:00:00.000Z' }),
  },
  {
    kind: 'member-merges',
    collection: 'member_merges',
    make: async ({ http, tenantId }, target) => {
      for (const one of [http, target.http]) for (const id of MERGED) await done(one.post('/v1/members', person(id)));
      for (const source_member_id of ['M-b', 'M-c'])
        await done(http.post('/v1/members/M-a/merge', { source_member_id }));
      await done(http.post('/v1/members/M-a/unmerge', { source_member_id: 'M-c' }));
      return { id: 'M-b', _id: new RegExp(`^${tenantId}/`) };
    },
    read: ({ target, id }) => target.http.get(`/v1/members/${id}`),
    step: ({ target }) => target.http.post('/v1/members/M-a/merge', { source_member_id: 'M-c' }),
  },
];

/** Moves the rows of a record into the target as an earlier version left them. */
export async function makeOld(db: Db, { kind, collection, make, change }: OldKind, source: Tenant, target: Tenant) {
  const made = await make(source, target);
  const { id, _id = id } = made;
  const rows = db.collection<{ _id: unknown }>(collection);
  const eventId = await posted(target.http, `for-${kind}`);
  for (const row of await rows.find({ _id } as Document).toArray()) {
    const { fact: _, ...old }: Document = row;
    const moved = change?.(old, { id, target, eventId }) ?? old;
    const movedTo = { ...moved, _id: movedId(row._id, id, source, target), ...tenantOf(moved, target) };
    // By one write: a reader of the source would write a removed row again.
    if (typeof row._id === 'string' && movedTo._id === row._id) await rows.replaceOne({ _id: row._id }, movedTo);
    else {
      await rows.deleteOne({ _id: row._id });
      await rows.insertOne(movedTo);
    }
  }
  if (kind === 'member-merges') {
    const shown = { $set: { merged_into: 'M-a', status: 'MERGED' } };
    await db.collection<Document>('members').updateOne({ tenant_id: target.tenantId, _id: /M-b$/ }, shown);
  }
  return { id, target, eventId } satisfies Moved;
}

const tenantOf = ({ tenant_id }: Document, { tenantId }: Tenant) =>
  tenant_id === undefined ? {} : { tenant_id: tenantId };

function movedId(_id: unknown, id: string, source: Tenant, { tenantId }: Tenant): unknown {
  if (typeof _id === 'string') return _id.replace(source.tenantId, tenantId);
  return { tenant_id: tenantId, event_id: id };
}

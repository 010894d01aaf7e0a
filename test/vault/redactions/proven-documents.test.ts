import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { eventually } from '../../support/eventually.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { uploadScanned } from '../vault-kit.js';
import { applied, apply, draft, type People, peopleOf } from './redaction-kit.js';

// Someone edits the rows of redactions in the database: no reader without the scope sees a hidden word.

type Rows = Collection<Document & { _id: string }>;

let service: WholeService;
let database: Database;
let orders: Rows;
let documents: Rows;
let all: People;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  orders = database.db.collection('redactions');
  documents = database.db.collection('documents');
  all = await peopleOf(service.operator);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

const TEXT = 'Wilhelmina saw Bartholomew about the knee.';

async function redacted(term = 'Wilhelmina') {
  const { json } = await uploadScanned(all.clerk, TEXT, { member_id: 'M-1' });
  const id: string = json.document_id;
  const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: [term] });
  expect(done.json).toMatchObject({ status: 'APPLIED' });
  return { id, redactionId: done.json.redaction_id as string };
}

const shownTo = async (id: string): Promise<string> => (await all.reader.get(`/v1/documents/${id}`)).text;

async function readersKey(): Promise<void> {
  const made = await service.operator.post('/v1/api-keys', {
    tenant_id: all.tenantId,
    name: 'reader of documents',
    scopes: ['documents:read'],
  });
  all = { ...all, reader: service.operator.as(made.json.api_key) };
}
beforeAll(readersKey);

describe('an applied redaction of a document', () => {
  it('still hides its words, also together with a later one, when someone removes its row', async () => {
    const { id, redactionId } = await redacted();
    await orders.deleteOne({ _id: redactionId });
    expect(await shownTo(id)).not.toContain('Wilhelmina');
    const later = await applied(all, { subject: { kind: 'DOCUMENT', id }, terms: ['Bartholomew'] });
    expect(later.json.status).toBe('APPLIED');
    const text = await shownTo(id);
    expect(text).toContain('about the knee');
    for (const hidden of ['Wilhelmina', 'Bartholomew']) expect(text).not.toContain(hidden);
    expect((await all.clerk.get(`/v1/redactions/${redactionId}`)).json.status).toBe('APPLIED');
  });

  it.each([
    ['marks it as a draft', { $set: { status: 'DRAFT' } }],
    ['empties its terms', { $set: { terms: [] } }],
    ['gives it to another document', { $set: { 'subject.id': 'doc_01JQ0000000000000000000009' } }],
    ['names other bytes', { $set: { rendition_sha256: 'a1'.repeat(32) } }],
    ['removes its fact', { $unset: { fact: true } }],
  ])('stops every later redaction, and still hides its words, when someone %s', async (_, change) => {
    const { id, redactionId } = await redacted();
    const next = await draft(all.clerk, { subject: { kind: 'DOCUMENT', id }, terms: ['Bartholomew'] });
    await orders.updateOne({ _id: redactionId }, change);
    expect(await shownTo(id)).not.toContain('Wilhelmina');
    const answers = [
      await all.clerk.get(`/v1/redactions/${redactionId}`),
      await all.clerk.get('/v1/redactions'),
      await apply(all.counsel, next.json.redaction_id),
    ];
    expect(answers.map(({ json }) => json.code)).toEqual(answers.map(() => 'INTEGRITY_FAILURE'));
    await orders.deleteOne({ _id: redactionId });
  });

  it.each([
    ['removes the rendition', { $set: { rendition: null } }],
    ['removes the member rendition', { $unset: { rendition: true } }],
    ['names the original as the rendition', null],
  ])('fails every read of its document when someone %s', async (_, change) => {
    const { id } = await redacted();
    const row = await documents.findOne({ _id: id });
    await documents.updateOne({ _id: id }, change ?? { $set: { 'rendition.sha256': row?.['sha256'] } });
    for (const path of [`/v1/documents/${id}`, `/v1/documents/${id}/metadata`, '/v1/documents?member_id=M-1']) {
      const { status, text } = await all.reader.get(path);
      expect({ path, status, shown: text.includes('Wilhelmina') }).toEqual({ path, status: 500, shown: false });
    }
    await documents.replaceOne({ _id: id }, row ?? {});
    expect((await all.reader.get(`/v1/documents/${id}`)).status).toBe(200);
  });

  it('hides its words when someone sets the document back to the state before', async () => {
    const { json } = await uploadScanned(all.clerk, TEXT);
    const row = await eventually(
      () => documents.findOne({ _id: json.document_id }),
      (seen) => seen?.['pending'].length === 0,
    );
    await applied(all, { subject: { kind: 'DOCUMENT', id: json.document_id }, terms: ['Wilhelmina'] });
    await documents.replaceOne({ _id: json.document_id }, row ?? {});
    expect(await shownTo(json.document_id)).not.toContain('Wilhelmina');
  });
});

describe('GET /v1/ledger/verify', () => {
  it('compares the rendition of a document with the fact of its redaction', async () => {
    const people = await peopleOf(service.operator);
    const { json } = await uploadScanned(people.clerk, TEXT);
    await applied(people, { subject: { kind: 'DOCUMENT', id: json.document_id }, terms: ['Wilhelmina'] });
    const whole = (await people.clerk.get('/v1/ledger/verify')).json;
    expect(whole).toMatchObject({ valid: true, breaks: [] });
    expect(JSON.stringify(whole.not_checked)).not.toContain('redaction');
    await documents.updateOne({ _id: json.document_id }, { $set: { 'rendition.size': 1 } });
    const edited = (await people.clerk.get('/v1/ledger/verify')).json;
    const found = { kind: 'ROW_DIFFERS', collection: 'documents' };
    expect(edited.valid).toBe(false);
    expect(edited.breaks).toEqual([expect.objectContaining(found), expect.objectContaining(found)]);
  });
});

describe('a draft', () => {
  it('hides nothing when someone adds the effect of an applied redaction to its row', async () => {
    const { json } = await uploadScanned(all.clerk, TEXT);
    const subject = { kind: 'DOCUMENT', id: json.document_id };
    const { redaction_id } = (await draft(all.clerk, { subject, terms: ['Wilhelmina'] })).json;
    const effect = {
      id: 'eff_01JQ0000000000000000000009',
      kind: 'switch-readers',
      tenant_id: all.tenantId,
      redaction_id,
    };
    await orders.updateOne({ _id: redaction_id }, { $push: { pending: effect } } as object);
    await eventually(
      () => orders.findOne({ _id: redaction_id }),
      (seen) => seen?.['pending'].length === 0,
    );
    expect(await shownTo(json.document_id)).toBe(TEXT);
  });
});

describe('two redactions of one document', () => {
  it('that are applied at once hide the words of both', async () => {
    const { json } = await uploadScanned(all.clerk, TEXT);
    const subject = { kind: 'DOCUMENT', id: json.document_id };
    const drafts = await Promise.all(
      ['Wilhelmina', 'Bartholomew'].map((term) => draft(all.clerk, { subject, terms: [term] })),
    );
    const answers = await Promise.all(drafts.map((one) => apply(all.counsel, one.json.redaction_id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const text = await shownTo(json.document_id);
    for (const hidden of ['Wilhelmina', 'Bartholomew']) expect(text).not.toContain(hidden);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { DOCUMENT_FACTS } from '../../../subgraphs/vault/documents/schema.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { uploadScanned } from '../vault-kit.js';

// The rows of documents are projections of facts: someone edits them in the database, and no read follows.

const MEMBER = 'M-1';

let service: WholeService;
let database: Database;
let rows: Collection<Document & { _id: string }>;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('documents');
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Made {
  readonly http: Http;
  readonly id: string;
  readonly eventId: string;
  readonly row: Document & { _id: string };
}

async function rowOf(id: string): Promise<Document & { _id: string }> {
  const row = await rows.findOne({ _id: id });
  if (!row) throw new Error('no row');
  return row;
}

/** A scanned document of one event, which the search finds by `word`. */
async function made(http: Http, word: string): Promise<Made> {
  const { event_id: eventId } = (await http.post('/v1/events', envelope(word, { member_id: MEMBER }))).json;
  const done = await uploadScanned(http, `A letter with ${word}.`, { member_id: MEMBER, event_ids: [eventId] });
  if (done.status !== 200) throw new Error(done.text);
  const id: string = done.json.document_id;
  await eventually(
    () => http.get(`/v1/documents/${id}/metadata`),
    ({ json }) => json.text?.status === 'READY',
  );
  // Its effects are performed: only people change the row from now on.
  await eventually(
    () => rowOf(id),
    (seen) => seen['pending'].length === 0,
  );
  return { http, id, eventId, row: await rowOf(id) };
}

const fresh = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;

/** Every read that shows the document. */
const readsOf = ({ http, id, eventId }: Made, word: string): Readonly<Record<string, () => Promise<Answer>>> => ({
  content: () => http.get(`/v1/documents/${id}`),
  metadata: () => http.get(`/v1/documents/${id}/metadata`),
  list: () => http.get('/v1/documents'),
  'list of the member': () => http.get(`/v1/documents?member_id=${MEMBER}`),
  'list of the event': () => http.get(`/v1/documents?event_id=${eventId}`),
  search: () => http.post('/v1/search', { query: word, kinds: ['document'] }),
  timeline: () => http.get(`/v1/members/${MEMBER}/timeline`),
  attach: () => http.post(`/v1/documents/${id}/events/${eventId}`, {}),
});

async function expectRejected(one: Made, word: string, names = Object.keys(readsOf(one, word))): Promise<void> {
  for (const [name, read] of Object.entries(readsOf(one, word))) {
    if (!names.includes(name)) continue;
    const { status, json } = await read();
    expect({ name, status, code: json?.code }).toEqual({ name, status: 500, code: 'INTEGRITY_FAILURE' });
  }
}

async function bundleOf(http: Http, scope: object): Promise<Document> {
  const { json } = await http.post('/v1/bundles', { scope });
  const read = async (): Promise<Answer> => http.get(`/v1/bundles/${json.bundle_id}`);
  return (await eventually(read, (seen) => ['SEALED', 'FAILED'].includes(seen.json.status))).json;
}

/** The fact that created the document. */
async function firstFactOf(id: string): Promise<Document> {
  const entry = await database.db.collection<Document>('ledger').findOne({ fact_key: `document/${id}\u0000first` });
  if (!entry) throw new Error('no fact');
  const { _id, entry_hash } = entry as Document;
  return { source_system: '_records', seq: _id.seq, entry_hash };
}

const detach = ({ http, id, eventId }: Made): Promise<Answer> =>
  http.call(`/v1/documents/${id}/events/${eventId}`, { method: 'DELETE' });

describe('a document with a row that names another content of the tenant', () => {
  it('answers INTEGRITY_FAILURE on every read, and stops the build of a bundle', async () => {
    const http = await fresh();
    const [one, other] = [await made(http, 'sunflower'), await made(http, 'marigold')];
    const { sha256, size, media_type } = other.row;
    await rows.updateOne({ _id: one.id }, { $set: { sha256, size, media_type } });
    await expectRejected(one, 'sunflower');
    expect(await bundleOf(http, { member_id: MEMBER })).toMatchObject({
      status: 'FAILED',
      failure: { code: 'INTEGRITY_FAILURE' },
    });
    const custody = await http.get(`/v1/custody?action=INTEGRITY_FAILURE&subject_kind=DOCUMENT&subject_id=${one.id}`);
    expect(custody.json.items.length).toBeGreaterThan(0);
    const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
    expect(items).toEqual([expect.objectContaining({ subject: { kind: 'RECORD', id: `document/${one.id}` } })]);
    await rows.replaceOne({ _id: one.id }, one.row);
    expect((await http.get(`/v1/documents/${one.id}`)).text).toBe('A letter with sunflower.');
    expect(await bundleOf(http, { member_id: MEMBER })).toMatchObject({ status: 'SEALED' });
  });

  it('answers INTEGRITY_FAILURE when someone swaps two rows', async () => {
    const http = await fresh();
    const [one, other] = [await made(http, 'foxglove'), await made(http, 'hyacinth')];
    const { _id: _, ...mine } = one.row;
    const { _id: __, ...others } = other.row;
    await rows.replaceOne({ _id: one.id }, others);
    await rows.replaceOne({ _id: other.id }, mine);
    for (const each of [one, other]) await expectRejected(each, 'foxglove', ['content', 'metadata', 'list']);
  });
});

describe('a row of a document', () => {
  it('answers INTEGRITY_FAILURE when someone replaces or removes a member that its facts state', async () => {
    const { http, id, row } = await made(await fresh(), 'columbine');
    for (const field of [...DOCUMENT_FACTS.evidential, ...DOCUMENT_FACTS.lists]) {
      const values = [null, 'forged', 7, Number.NaN, new Date(0), ['forged'], { forged: true }];
      const others = values.filter((value) => JSON.stringify(value) !== JSON.stringify(row[field]));
      const removal = row[field] === null ? [] : [{ $unset: { [field]: true } }];
      for (const change of [...others.map((value) => ({ $set: { [field]: value } })), ...removal]) {
        try {
          await rows.updateOne({ _id: id }, change);
        } catch (error) {
          // The database itself rejects a second list under one index.
          expect(error).toMatchObject({ code: 171 });
          continue;
        }
        const { status, json } = await http.get(`/v1/documents/${id}`);
        expect({ change, status, code: json.code }).toEqual({ change, status: 500, code: 'INTEGRITY_FAILURE' });
        await rows.replaceOne({ _id: id }, row);
      }
    }
    expect((await http.get(`/v1/documents/${id}`)).status).toBe(200);
  });

  const EDITS: readonly Document[] = [
    { $set: { 'fact.seq': 9_999 } },
    { $unset: { fact: true } },
    { $set: { tenant_id: 'another' } },
    { $set: { 'history.0.by': 'key_01JQ0000000000000000000009' } },
    { $unset: { history: true } },
    { $set: { status: 'DISPOSED' } },
    { $set: { status: 'REJECTED' } },
    { $set: { event_ids: [] } },
    { $set: { member_ids: ['M-2'] } },
  ];

  it('answers INTEGRITY_FAILURE when someone edits its place, its history, its status or its lists', async () => {
    const one = await made(await fresh(), 'delphinium');
    for (const change of EDITS) {
      await rows.updateOne({ _id: one.id }, change);
      await expectRejected(one, 'delphinium', ['content', 'metadata', 'attach']);
      await rows.replaceOne({ _id: one.id }, one.row);
    }
  });

  it('answers INTEGRITY_FAILURE when someone sets it back to an older state', async () => {
    const one = await made(await fresh(), 'goldenrod');
    const { id, row } = one;
    expect((await detach(one)).status).toBe(200);
    await rows.updateOne({ _id: id }, { $set: { event_ids: row['event_ids'] } });
    await expectRejected(one, 'goldenrod', ['content', 'metadata', 'list']);
    await rows.updateOne({ _id: id }, { $set: { event_ids: [], fact: await firstFactOf(id) } });
    await expectRejected(one, 'goldenrod', ['content', 'metadata', 'list']);
  });

  it('follows the facts when someone sets it and its fact back to an older state', async () => {
    const one = await made(await fresh(), 'snapdragon');
    const { http, id, row } = one;
    await detach(one);
    await rows.replaceOne({ _id: id }, row);
    expect((await http.get(`/v1/documents/${id}/metadata`)).json.event_ids).toEqual([]);
  });

  it('is written again from its facts when a crash left it out', async () => {
    const { http, id, row } = await made(await fresh(), 'primrose');
    await rows.deleteOne({ _id: id });
    expect((await http.get(`/v1/documents/${id}`)).text).toBe('A letter with primrose.');
    const { pending: _, ...restored } = await rowOf(id);
    expect(restored).toMatchObject({ sha256: row['sha256'], history: row['history'], fact: row['fact'] });
  });

  it('is shown to no reader when no fact proves it', async () => {
    const one = await made(await fresh(), 'bluebell');
    const forged = 'doc_01JQ0000000000000000000009';
    await rows.insertOne({ ...one.row, _id: forged });
    await expectRejected({ ...one, id: forged }, 'bluebell', ['content', 'metadata', 'list']);
    await rows.deleteOne({ _id: forged });
  });

  it('accepts one of many concurrent changes after the other, and the ledger verifies', async () => {
    const { http, id } = await made(await fresh(), 'cornflower');
    const names = Array.from({ length: 5 }, (_, i) => `cornflower ${i}`);
    const events = await Promise.all(names.map((name) => http.post('/v1/events', envelope(name))));
    const ids = events.map(({ json }) => json.event_id as string);
    const answers = await Promise.all(ids.map((event_id) => http.post(`/v1/documents/${id}/events/${event_id}`, {})));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { json } = await http.get(`/v1/documents/${id}/metadata`);
    expect(json.event_ids).toEqual(expect.arrayContaining(ids));
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('is shown by its facts to readers of events without its names and members', async () => {
    const { http, id } = await made(await fresh(), 'honeysuckle');
    const { items } = (await http.get(`/v1/events?source_system=_records&source_record_id=document/${id}`)).json;
    expect(items.map(({ payload }: Document) => payload.action)).toEqual(['pass-scan', 'upload']);
    const text = JSON.stringify(items);
    for (const hidden of ['letter.txt', MEMBER, 'worm_sha256']) expect(text).not.toContain(hidden);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

/** Members of the row that no fact states: progress, the inputs of the build, and what the queue and the outbox need. */
const NOT_STATED = new Set([
  '_id',
  'tenant_id',
  'fact',
  'history',
  'pending',
  'progress',
  'frozen',
  'updated_at',
  'claims',
  'next_attempt_at',
  'lease_owner',
  'lease_token',
  'lease_until',
]);

let service: WholeService;
let database: Database;
let rows: Collection<Document & { _id: string }>;
let http: Http;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('bundles');
  http = (await freshTenant(service.operator, ['admin'])).http;
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

async function sealed(member: string): Promise<{ readonly id: string; readonly row: Document }> {
  await http.post('/v1/events', envelope(member, { member_id: member }));
  const { json } = await http.post('/v1/bundles', { scope: { member_id: member } });
  const read = async (): Promise<Answer> => http.get(`/v1/bundles/${json.bundle_id}`);
  const { json: done } = await eventually(read, (seen) => seen.json.status === 'SEALED');
  expect(done.status).toBe('SEALED');
  const row = await rows.findOne({ _id: json.bundle_id });
  if (!row) throw new Error('no row');
  return { id: json.bundle_id, row };
}

const READS = ['', '/download', '/edx'];

async function expectRejected(id: string, label: object): Promise<void> {
  for (const read of READS) {
    const { status, json } = await http.get(`/v1/bundles/${id}${read}`);
    expect({ ...label, read, status, code: json?.code }).toEqual({
      ...label,
      read,
      status: 500,
      code: 'INTEGRITY_FAILURE',
    });
  }
  const verified = await http.post(`/v1/bundles/${id}/verify-signature`, {});
  expect({ ...label, code: verified.json.code }).toEqual({ ...label, code: 'INTEGRITY_FAILURE' });
}

describe('the row of a sealed bundle', () => {
  it('answers INTEGRITY_FAILURE when its seal names the archive of another bundle', async () => {
    const [one, other] = [await sealed('M-1'), await sealed('M-2')];
    await rows.updateOne({ _id: one.id }, { $set: { seal: other.row['seal'] } });
    await expectRejected(one.id, {});
    await rows.updateOne({ _id: one.id }, { $set: { seal: one.row['seal'] } });
    expect((await http.get(`/v1/bundles/${one.id}/download`)).status).toBe(200);
  });

  it('answers INTEGRITY_FAILURE when someone replaces or removes a member that its facts state', async () => {
    const { id, row } = await sealed('M-3');
    const stated = Object.keys(row).filter((name) => !NOT_STATED.has(name));
    expect(stated).toEqual(expect.arrayContaining(['status', 'scope', 'seal', 'requested_by', 'regenerated_from']));
    for (const name of stated) {
      for (const value of [null, 'forged', 7, ['forged'], { forged: true }]) {
        if (JSON.stringify(value) === JSON.stringify(row[name])) continue;
        await rows.updateOne({ _id: id }, { $set: { [name]: value } });
        const { json } = await http.get(`/v1/bundles/${id}`);
        expect({ name, value, code: json.code }).toEqual({ name, value, code: 'INTEGRITY_FAILURE' });
        await rows.replaceOne({ _id: id }, row);
      }
    }
    expect((await http.get(`/v1/bundles/${id}`)).json.status).toBe('SEALED');
  });

  it('is not built from a scope that someone changed before the build', async () => {
    await http.post('/v1/events', envelope('M-4', { member_id: 'M-4' }));
    const { json } = await http.post('/v1/bundles', { scope: { member_id: 'M-5' } });
    // Whether the build has ended or not, the forged scope is never shown as sealed.
    await rows.updateOne({ _id: json.bundle_id }, { $set: { 'scope.member_id': 'M-4' } });
    const { json: read } = await http.get(`/v1/bundles/${json.bundle_id}`);
    expect(read.code).toBe('INTEGRITY_FAILURE');
  });

  it('is written from its facts when a crash left it at an earlier step', async () => {
    const { id, row } = await sealed('M-6');
    const { seal: _, ...before } = row;
    const history = row['history'] as object[];
    await rows.replaceOne(
      { _id: id },
      {
        ...before,
        seal: null,
        status: 'REQUESTED',
        revision: 1,
        history: history.slice(0, 1),
        fact: await firstFactOf(id),
      },
    );
    const read = async (): Promise<Answer> => http.get(`/v1/bundles/${id}`);
    expect((await read()).json).toMatchObject({ status: 'SEALED', worm_blob_sha256: row['seal'].worm_blob_sha256 });
  });
});

/** The place of the fact that created a bundle. */
async function firstFactOf(id: string): Promise<Document> {
  const entries = database.db.collection<Document>('ledger');
  const entry = await entries.findOne({ fact_key: `bundle/${id}\u0000first` });
  if (!entry) throw new Error('no fact');
  const { _id, entry_hash } = entry as Document;
  return { source_system: '_records', seq: _id.seq, entry_hash };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { DATA_RIGHT_FACTS } from '../../../subgraphs/members-graph/data-rights/schema/index.js';
import { envelope } from '../../support/envelopes.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { Desk, RIGHTS } from './kit.js';

// A member's request about their data is proven by its facts: deletions and deadlines depend on it.

const MEMBER = 'M-1';

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

const rows = () => database.db.collection<Document & { _id: string }>('data_rights');

async function asked(): Promise<{ readonly desk: Desk; readonly id: string; readonly row: Document }> {
  const desk = await Desk.fresh(service.operator);
  // Old enough to be due for disposal.
  await desk.http.call('/v1/retention-policies', {
    method: 'PUT',
    body: { policies: [{ event_family: 'claims', years: 6 }] },
  });
  const old = { event_family: 'claims', event_effective_timestamp: '2010-03-02T14:11:09.123Z' };
  await desk.made('/v1/events', envelope(1, { member_id: MEMBER, ...old }));
  const id = await desk.verified(MEMBER, 'ACCESS', { details: 'All of it.' });
  const row = await rows().findOne({ _id: id });
  if (row === null) throw new Error('no row');
  return { desk, id, row };
}

describe('a request of a member', () => {
  it.each(DATA_RIGHT_FACTS.evidential)('answers INTEGRITY_FAILURE when someone replaces %s', async (field) => {
    const { desk, id, row } = await asked();
    for (const value of [null, 'forged', 7, new Date('2020-01-01T00:00:00Z')]) {
      if (JSON.stringify(value) === JSON.stringify(row[field])) continue;
      await rows().updateOne({ _id: id }, { $set: { [field]: value } });
      const { status, json } = await desk.http.get(`${RIGHTS}/${id}`);
      expect({ value, status, code: json.code }).toEqual({ value, status: 500, code: 'INTEGRITY_FAILURE' });
    }
    await rows().replaceOne({ _id: id }, row);
    expect((await desk.http.get(`${RIGHTS}/${id}`)).status).toBe(200);
  });

  it('is named by verification when someone edits it', async () => {
    const { desk, id } = await asked();
    expect((await desk.http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
    await rows().updateOne({ _id: id }, { $set: { due_at: new Date('2020-01-01T00:00:00Z') } });
    const { json } = await desk.http.get('/v1/ledger/verify');
    expect(json.breaks).toEqual([
      expect.objectContaining({ kind: 'ROW_DIFFERS', collection: 'data_rights', key: `data-right/${id}` }),
    ]);
  });

  it('stops a deletion when someone closes it in the database', async () => {
    const { desk, id } = await asked();
    await rows().updateOne({ _id: id }, { $set: { status: 'DENIED' } });
    const { status, json } = await desk.http.post('/v1/retention/sweep', { dry_run: true });
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('still counts when someone removes its row', async () => {
    const { desk, id, row } = await asked();
    await rows().deleteOne({ _id: id });
    const { events } = await desk.made('/v1/retention/sweep', { dry_run: true });
    expect(events).toEqual({ past_age: 1, disposed: 0, held: 1, damaged: 0 });
    expect(await rows().findOne({ _id: id })).toMatchObject({ status: 'VERIFIED', fact: row['fact'] });
  });

  it('is shown by its facts to readers of events without what the member said', async () => {
    const { desk, id } = await asked();
    const path = `/v1/events?source_system=_records&source_record_id=data-right/${id}&order=asc`;
    const { items } = (await desk.http.get(path)).json;
    expect(items.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'data-right.received',
      'data-right.verified',
    ]);
    for (const word of [MEMBER, 'All of it.', 'Photo identification.'])
      expect(JSON.stringify(items)).not.toContain(word);
  });
});

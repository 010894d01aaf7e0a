import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let client: MongoClient;
let http: Http;

beforeAll(async () => {
  service = await startWholeService();
  client = await MongoClient.connect(service.databaseUri);
  ({ http } = await freshTenant(service.operator, ['admin']));
});

afterAll(async () => {
  await client.close();
  await service.stop();
});

/** The last entry of a chain, its record altered underneath the service. */
async function damage(sourceSystem: string): Promise<{ readonly eventId: string; readonly place: string }> {
  const ledger = client.db('eas').collection<{ _id: { seq: number }; event_id: string }>('ledger');
  const [row] = await ledger
    .find({ '_id.source_system': sourceSystem } as object)
    .sort({ '_id.seq': -1 })
    .limit(1)
    .toArray();
  if (!row) throw new Error('no entry');
  await ledger.updateOne({ _id: row._id }, { $set: { record: Buffer.from('{}') } as object });
  return { eventId: row.event_id, place: `${sourceSystem}/${row._id.seq}` };
}

/** Expects the reports of a read of a damaged entry; the ledger's followers read it too, and each read is reported. */
async function expectTold({ eventId, place }: { readonly eventId: string; readonly place: string }): Promise<void> {
  const opened = await http.get(`/v1/exceptions?kind=CHAIN_BREAK&subject_id=${encodeURIComponent(place)}`);
  expect(opened.json.items).toMatchObject([{ status: 'OPEN', detail: { event_id: eventId } }]);
  const custody = await http.get(`/v1/custody?action=INTEGRITY_FAILURE&subject_id=${eventId}`);
  expect(custody.json.items.length).toBeGreaterThan(0);
  for (const told of custody.json.items) expect(told.subject).toEqual({ kind: 'EVENT', id: eventId });
}

const refused = { code: 'INTEGRITY_FAILURE', status: 500 };

describe('an altered entry is withheld, opens an exception and is recorded in custody', () => {
  it('by a search', async () => {
    await http.post('/v1/events', envelope(1, { source_system: 'found', payload: { rationale: 'quinquagenarian' } }));
    const search = () => http.post('/v1/search', { query: 'quinquagenarian' });
    const deadlineMs = Date.now() + 150_000;
    while ((await search()).json.total === 0) expect(Date.now()).toBeLessThan(deadlineMs);
    const entry = await damage('found');
    expect((await search()).json).toMatchObject(refused);
    await expectTold(entry);
  });

  it('when AI decisions are read, listed, exported or overridden', async () => {
    const decision = {
      decision_type: 'OTHER',
      model: { name: 'triage', version: '1' },
      inputs: { age: 3 },
      recommendation: 'APPROVE',
    };
    const made = await http.post('/v1/ai-decisions', decision);
    const path = `/v1/ai-decisions/${made.json.decision_id}`;
    const entry = await damage('ai-provenance');
    for (const read of [path, '/v1/ai-decisions', `${path}/export`, '/v1/ai-decisions/export']) {
      expect((await http.get(read)).json).toMatchObject(refused);
    }
    const override = { outcome: 'DENY', reason: 'r', overridden_by: 'Dr X' };
    expect((await http.post(`${path}/override`, override)).json).toMatchObject(refused);
    const opened = await http.get('/v1/exceptions?kind=CHAIN_BREAK&subject_id=ai-provenance/1');
    expect(opened.json.items).toMatchObject([{ detail: { event_id: entry.eventId } }]);
    expect(opened.json.items[0].occurrences).toBeGreaterThanOrEqual(5);
  });

  it('when custody is listed', async () => {
    await http.post('/v1/custody', { action: 'NOTED', subject: { kind: 'MEMBER', id: 'M-1' } });
    const entry = await damage('_custody');
    expect((await http.get('/v1/custody?action=NOTED')).json).toMatchObject(refused);
    await expectTold(entry);
  });
});

describe('the chain of custody', () => {
  it('does not verify if its end or all of it is cut off', async () => {
    const { http: fresh, tenantId } = await freshTenant(service.operator, ['admin']);
    for (const id of ['M-1', 'M-2', 'M-3']) {
      await fresh.post('/v1/custody', { action: 'NOTED', subject: { kind: 'MEMBER', id } });
    }
    const verify = async () => (await fresh.get('/v1/custody/verify')).json;
    const waiting = ({ what }: { what: string }): boolean => what.startsWith('the tree over the last');
    const deadlineMs = Date.now() + 150_000;
    while ((await verify()).not_checked.some(waiting)) expect(Date.now()).toBeLessThan(deadlineMs);
    expect(await verify()).toMatchObject({ valid: true, checked: 3 });
    for (const seq of [3, 1]) {
      const cut = { '_id.tenant_id': tenantId, '_id.source_system': '_custody', '_id.seq': { $gte: seq } };
      await client.db('eas').collection('ledger').deleteMany(cut);
      const gap = { kind: 'SEQUENCE_GAP', source_system: '_custody', sequence: seq };
      expect(await verify()).toMatchObject({ valid: false, breaks: [gap] });
    }
  });
});

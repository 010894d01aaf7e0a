import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type LedgerProcess, startLedger } from '../ledger-kit.js';

// The entries of ai-provenance are the decisions; what finds them can be lost at any time.

let server: TestServer;
let database: Database;
let ledger: LedgerProcess;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  databases += 1;
  database = await server.connect(`decisions_${databases}`);
  ledger = await startLedger(database, { scopes: ['admin'] });
});
afterEach(async () => {
  await ledger.close();
  await database.close();
});

const DECISION = {
  decision_type: 'DENIAL',
  model: { name: 'um-triage', version: '4.2.0' },
  member_id: 'M-1',
  inputs: [1],
  recommendation: 'DENY',
};
const ALL = `{ decision_id status outcome exception_id created_at provenance { event_id sequence entry_hash }
  overrides { override_id outcome prior_outcome provenance { sequence } } }`;

const recorded = async (tenant?: string): Promise<string> => {
  const record = 'mutation($input: AiDecisionInput!) { recordAiDecision(input: $input) { decision_id } }';
  return (await ledger.run(record, { input: DECISION }, tenant)).recordAiDecision.decision_id;
};
const overridden = async (id: string, outcome: string) => {
  const override = `mutation($id: String!, $input: AiOverrideInput!) {
    overrideAiDecision(decision_id: $id, input: $input) { status } }`;
  await ledger.run(override, { id, input: { outcome, reason: 'r', overridden_by: 'dr-1' } });
};
const read = async (id: string) =>
  (await ledger.run(`query($id: String!) { aiDecision(decision_id: $id) ${ALL} }`, { id })).aiDecision;
const derive = () => ledger.runRecurring('ledger.ai-decisions');
const forget = async () => {
  for (const name of ['ai_decisions', 'ai_decisions_derived']) await database.db.collection(name).deleteMany({});
};
const exceptions = () => database.db.collection('exceptions').find({ kind: 'AI_ADVERSE_UNREVIEWED' }).toArray();

describe('the index of AI decisions', () => {
  it('is rebuilt from the ledger, with all overrides, equal to the lost one', async () => {
    const ids = [await recorded(), await recorded(), await recorded()];
    await overridden(ids[1] ?? '', 'APPROVE');
    await overridden(ids[1] ?? '', 'REFER');
    const before = await Promise.all(ids.map(read));
    await forget();
    const list = async () => (await ledger.run(`{ aiDecisions { items ${ALL} } }`)).aiDecisions.items;
    expect(await list()).toEqual([]);
    await derive();
    expect(new Set(await list())).toEqual(new Set(before));
    expect(await Promise.all(ids.map(read))).toEqual(before);
    expect(before[1]).toMatchObject({ status: 'OVERRIDDEN', outcome: 'REFER' });
  });

  it('hides no decision and no override that someone takes out of it', async () => {
    const id = await recorded();
    await overridden(id, 'APPROVE');
    await overridden(id, 'REFER');
    const before = await read(id);
    expect(before.overrides).toHaveLength(2);
    const rows = database.db.collection<{ _id: string }>('ai_decisions');
    const index = await rows.findOne({ _id: id });
    await rows.updateOne({ _id: id }, { $set: { overrides: [], status: 'RECORDED' } });
    expect(await read(id)).toEqual(before);
    // The read has put the override back.
    expect(await rows.findOne({ _id: id })).toEqual(index);
    await rows.deleteOne({ _id: id });
    expect(await read(id)).toEqual(before);
    expect(await rows.findOne({ _id: id })).toEqual(index);
  });

  it('does not change when it is derived again', async () => {
    const id = await recorded();
    await overridden(id, 'APPROVE');
    const before = await read(id);
    for (let n = 0; n < 3; n++) {
      await database.db.collection('ai_decisions_derived').deleteMany({});
      await derive();
    }
    expect(await read(id)).toEqual(before);
    expect(await database.db.collection('ai_decisions').countDocuments()).toBe(1);
  });

  it('continues where it ended, tenant by tenant', async () => {
    await recorded();
    await derive();
    await recorded('other-plan');
    await recorded();
    await database.db.collection('ai_decisions').deleteMany({});
    await derive();
    const found = await database.db.collection('ai_decisions').find().toArray();
    expect(found.map(({ tenant_id }) => tenant_id).sort()).toEqual(['acme-health', 'other-plan']);
  });
});

describe('the exception of an adverse decision without a reviewer', () => {
  it('is opened by the job if a crash kept the request from it', async () => {
    const id = await recorded();
    await database.db.collection('exceptions').deleteMany({});
    await forget();
    await derive();
    expect(await exceptions()).toMatchObject([{ status: 'OPEN', subject: { kind: 'AI_DECISION', id } }]);
  });

  it('is not opened again by deriving after it was resolved', async () => {
    await recorded();
    await database.db
      .collection('exceptions')
      .updateMany({}, { $set: { status: 'RESOLVED' }, $unset: { active: true } });
    await forget();
    await derive();
    expect(await exceptions()).toMatchObject([{ status: 'RESOLVED' }]);
  });
});

describe('an altered AI decision', () => {
  it('is skipped and logged, and delays no other', async () => {
    const [first, second] = [await recorded(), await recorded()];
    await forget();
    const rows = database.db.collection('ledger');
    await rows.updateOne({ source_system: 'ai-provenance', '_id.seq': 1 } as never, {
      $set: { record: Buffer.from('{}') },
    });
    await derive();
    await expect(read(first)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    expect((await read(second)).decision_id).toBe(second);
    expect(ledger.logLines.join('')).toContain('does not match its hash');
  });
});

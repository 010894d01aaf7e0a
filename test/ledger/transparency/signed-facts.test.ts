import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/index.js';
import { sealed } from '../../bundles/bundles-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { forgedRow } from './forged-row.js';

// Someone with the driver rewrites entries of the service's own partitions, and the rows that name them, so that both
// agree. A checkpoint covers the true entries.

let service: WholeService;
let database: Database;
let rows: Collection<LedgerRow & Document>;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('ledger', { promoteBuffers: true });
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Tenant {
  readonly http: Http;
  readonly tenantId: string;
}

const newTenant = async (): Promise<Tenant> => freshTenant(service.operator, ['admin']);

/** Has a checkpoint cover everything so far: a bundle forces one. */
async function cover({ http }: Tenant): Promise<void> {
  await http.post('/v1/members', { member_id: 'M-1', name: { family: 'Doe' } });
  await http.post('/v1/events', envelope('1', { member_id: 'M-1' }));
  await sealed(http, { scope: { member_id: 'M-1' } });
}

/** Rewrites the last entry of a partition with a text. @returns the true row and the forged one */
async function rewrite({ tenantId }: Tenant, source: string, edit: readonly [string, string]) {
  const chain = await rows.find({ tenant_id: tenantId, source_system: source }, { sort: { _id: -1 } }).toArray();
  const row = chain.find(({ record }) => String(record).includes(edit[0]));
  if (row === undefined) throw new Error(`no entry of ${source} has ${edit[0]}`);
  const forged = forgedRow(row, edit);
  await rows.replaceOne({ _id: row._id } as never, forged as never);
  return { row, forged };
}

async function expectRejected({ http }: Tenant, path: string): Promise<void> {
  const { status, json } = await http.get(path);
  expect({ path, status, code: json.code }).toEqual({ path, status: 500, code: 'INTEGRITY_FAILURE' });
  expect((await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json.items).not.toHaveLength(0);
}

const HOLD = { name: 'Roe', scope: { member_ids: ['M-9'] }, reason: 'Roe v. Plan.', authority: 'Dkt. 1' };

describe('a fact that a checkpoint covers', () => {
  it('proves nothing when its entry and the row of its subject are rewritten with new hashes', async () => {
    const tenant = await newTenant();
    const { json } = await tenant.http.post('/v1/legal-holds', HOLD);
    await cover(tenant);
    const path = `/v1/legal-holds/${json.hold_id}`;
    expect((await tenant.http.get(path)).status).toBe(200);
    const { forged } = await rewrite(tenant, '_records', ['Roe v. Plan.', 'Doe v. Plan.']);
    const holds = database.db.collection<Document & { _id: string }>('legal_holds');
    const edited = { reason: 'Doe v. Plan.', 'fact.entry_hash': forged.entry_hash };
    expect((await holds.updateOne({ _id: json.hold_id }, { $set: edited })).modifiedCount).toBe(1);
    await expectRejected(tenant, path);
    await expectRejected(tenant, '/v1/legal-holds');
  });
});

describe('an act of custody that a checkpoint covers', () => {
  it('is not listed when its entry is rewritten with new hashes', async () => {
    const tenant = await newTenant();
    const act = {
      action: 'TRANSFERRED',
      subject: { kind: 'BUNDLE', id: 'bdl_7' },
      recipient: 'Outside counsel',
      allow_unknown: true,
    };
    expect((await tenant.http.post('/v1/custody', act)).status).toBeLessThan(300);
    await cover(tenant);
    const path = '/v1/custody?subject_kind=BUNDLE';
    expect((await tenant.http.get(path)).json.items).toMatchObject([{ recipient: 'Outside counsel' }]);
    await rewrite(tenant, '_custody', ['Outside counsel', 'Nobody']);
    await expectRejected(tenant, path);
  });
});

describe('an AI decision that a checkpoint covers', () => {
  const DECISION = {
    decision_type: 'DENIAL',
    model: { name: 'um-triage', version: '4.2.0' },
    inputs: [1],
    recommendation: 'DENY',
    rationale: 'Not documented.',
  };
  const decisions = () => database.db.collection<Document & { _id: string }>('ai_decisions');
  const setup = async () => {
    const tenant = await newTenant();
    const { json } = await tenant.http.post('/v1/ai-decisions', DECISION);
    await cover(tenant);
    return { tenant, id: String(json.decision_id), shown: json, path: `/v1/ai-decisions/${json.decision_id}` };
  };

  it('is not shown when its entry and its index row are rewritten with new hashes', async () => {
    const { tenant, path } = await setup();
    const { row, forged } = await rewrite(tenant, 'ai-provenance', ['Not documented.', 'Documented.']);
    const place = { 'place.entry_hash': row.entry_hash };
    const edited = { $set: { 'place.entry_hash': forged.entry_hash } };
    expect((await decisions().updateOne(place, edited)).modifiedCount).toBe(1);
    await expectRejected(tenant, path);
  });

  it('is shown as its entries say when its index row is edited', async () => {
    const { tenant, id, shown, path } = await setup();
    const edited = { status: 'OVERRIDDEN', unreviewed: !shown.unreviewed, exception_id: 'exc_forged' };
    expect((await decisions().updateOne({ _id: id }, { $set: edited })).modifiedCount).toBe(1);
    expect((await tenant.http.get(path)).json).toEqual(shown);
  });

  it('is not shown when its index row names the entry of another decision', async () => {
    const { tenant, id, path } = await setup();
    const other = (await tenant.http.post('/v1/ai-decisions', DECISION)).json;
    const row = await decisions().findOne({ _id: other.decision_id });
    await decisions().updateOne({ _id: id }, { $set: { place: row?.['place'] } });
    expect((await tenant.http.get(path)).json.code).toBe('INTEGRITY_FAILURE');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/index.js';
import { ended, requested, sealed } from '../../bundles/bundles-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { forgedRow } from './forged-row.js';

// Someone with the driver rewrites entries so that each row agrees with itself, and asks for the event in every way.

type Rows = Collection<LedgerRow & Document>;

let service: WholeService;
let database: Database;
let rows: Rows;
let leaves: Collection<Document>;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('ledger', { promoteBuffers: true });
  leaves = database.db.collection('ledger_tree');
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

const MEMBER = 'M-1';

interface Ledger {
  readonly http: Http;
  readonly tenantId: string;
  readonly ids: readonly string[];
}

async function send(http: Http, from: number, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) =>
    envelope(`${from + n}`, { member_id: MEMBER, outcome: 'DENIED', source_system: 'um-core' }),
  );
  const { json } = await http.post('/v1/events', { events });
  return json.results.map(({ event_id }: { event_id: string }) => event_id);
}

/** A tenant with one chain of events that a checkpoint covers: a bundle forces one. */
async function covered(count = 3): Promise<Ledger> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  await http.post('/v1/members', { member_id: MEMBER, name: { family: 'Doe' } });
  const ids = await send(http, 0, count);
  await sealed(http, { scope: { member_id: MEMBER } });
  return { http, tenantId, ids };
}

const readsOf = (id: string): string[] => [
  `/v1/events/${id}`,
  `/v1/events?member_id=${MEMBER}`,
  `/v1/members/${MEMBER}/timeline`,
  `/v1/advocacy/explain/${id}`,
];

async function expectRejected({ http }: Ledger, id: string): Promise<void> {
  for (const path of readsOf(id)) {
    const { status, json } = await http.get(path);
    expect({ path, status, code: json.code }).toEqual({ path, status: 500, code: 'INTEGRITY_FAILURE' });
  }
  const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
  expect(items.length).toBeGreaterThan(0);
  const custody = await http.get(`/v1/custody?subject_kind=EVENT&action=INTEGRITY_FAILURE`);
  expect(custody.json.items.length).toBeGreaterThan(0);
}

async function expectNoBundle({ http }: Ledger): Promise<void> {
  const { bundle_id } = await requested(http, { scope: { member_id: MEMBER } });
  expect((await ended(http, bundle_id)).status).toBe('FAILED');
}

const rowOf = async ({ tenantId }: Ledger, id = ''): Promise<LedgerRow> => {
  const row = await rows.findOne({ tenant_id: tenantId, event_id: id });
  if (!row) throw new Error('no row');
  return row;
};

/** The row with another outcome, and every hash of it computed again. */
const forged = (row: LedgerRow, prevHash?: string): LedgerRow => forgedRow(row, ['DENIED', 'APPROVED'], prevHash);

const put = (row: LedgerRow): Promise<unknown> => rows.replaceOne({ _id: row._id } as never, row as never);

const setLeaf = (row: LedgerRow): Promise<unknown> =>
  leaves.updateOne(
    { tenant_id: row.tenant_id, source_system: row.source_system, seq: row._id.seq },
    { $set: { entry_hash: Buffer.from(row.entry_hash, 'hex') } },
  );

describe('an event that a checkpoint covers', () => {
  it('is shown nowhere when its whole row is rewritten with new hashes', async () => {
    const ledger = await covered();
    const row = forged(await rowOf(ledger, ledger.ids[1]));
    await put(row);
    await expectRejected(ledger, row.event_id);
    await expectNoBundle(ledger);
  });

  it('is shown nowhere when the rest of its chain and the leaves are rewritten too', async () => {
    const ledger = await covered();
    let prev: string | undefined;
    for (const id of ledger.ids) {
      const row = forged(await rowOf(ledger, id), prev);
      await put(row);
      await setLeaf(row);
      prev = row.entry_hash;
    }
    await expectRejected(ledger, ledger.ids[0] ?? '');
  });

  it('is shown nowhere when the leaves of two entries change places', async () => {
    const ledger = await covered();
    const chain = { tenant_id: ledger.tenantId, source_system: 'um-core' };
    const move = (from: number, to: number) => leaves.updateOne({ ...chain, seq: from }, { $set: { seq: to } });
    await move(1, 1_000);
    await move(2, 1);
    await move(1_000, 2);
    await expectRejected(ledger, ledger.ids[0] ?? '');
    await expectNoBundle(ledger);
  });

  it('is shown nowhere when its leaf is moved to another index', async () => {
    const ledger = await covered();
    const place = { tenant_id: ledger.tenantId, source_system: 'um-core', seq: 2 };
    const leaf = await leaves.findOne(place);
    await leaves.deleteOne(place);
    const _id = { tenant_id: ledger.tenantId, tree_index: 5_000 };
    await leaves.insertOne({ ...leaf, _id } as never);
    await expectRejected(ledger, ledger.ids[1] ?? '');
  });

  it('is shown nowhere when its leaf is removed', async () => {
    const ledger = await covered();
    await leaves.deleteOne({ tenant_id: ledger.tenantId, source_system: 'um-core', seq: 2 });
    const { status, json } = await ledger.http.get(`/v1/events/${ledger.ids[1]}`);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('is shown nowhere when two entries exchange their hashes', async () => {
    const ledger = await covered();
    const [first, second] = [await rowOf(ledger, ledger.ids[0]), await rowOf(ledger, ledger.ids[1])];
    await put({ ...first, entry_hash: second.entry_hash });
    await put({ ...second, entry_hash: first.entry_hash });
    await expectRejected(ledger, first.event_id);
    await expectNoBundle(ledger);
  });

  it('is shown nowhere when its stored tile is replaced', async () => {
    const ledger = await covered(400);
    const tiles = database.db.collection('ledger_tiles', { promoteBuffers: true });
    const first = { '_id.tenant_id': ledger.tenantId, '_id.level': 0, '_id.index': 0 };
    const tile = await tiles.findOne(first);
    if (!tile) throw new Error('no tile');
    const leaf = await leaves.findOne({ tenant_id: ledger.tenantId, source_system: 'um-core', seq: 200 });
    if (!leaf) throw new Error('no leaf');
    const { tree_index: index } = leaf._id as unknown as { readonly tree_index: number };
    expect(index).toBeLessThan(256);
    const hashes = Buffer.from(tile['hashes'] as Buffer);
    hashes.fill(7, index * 32, (index + 1) * 32);
    await tiles.updateOne({ _id: tile._id }, { $set: { hashes } });
    const { status, json } = await ledger.http.get(`/v1/events/${ledger.ids[199]}`);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('is not proven by a checkpoint that the log has not signed', async () => {
    const ledger = await covered();
    const [id = ''] = await send(ledger.http, 10, 1);
    const checkpoints = database.db.collection<Document & { _id: string }>('ledger_checkpoints');
    const last = await checkpoints.findOne({ tenant_id: ledger.tenantId }, { sort: { number: -1 } });
    if (!last) throw new Error('no checkpoint');
    const { _id: _, ...row } = last;
    const [number, tree_size] = [Number(last['number']) + 50, Number(last['tree_size']) + 1_000];
    const note = String(last['note']).replace(String(last['tree_size']), String(tree_size));
    await checkpoints.insertOne({ ...row, _id: `chk_forged_${ledger.tenantId}`, number, tree_size, note });
    const { status, json } = await ledger.http.get(`/v1/events/${id}`);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });
});

describe('an event that no checkpoint covers yet', () => {
  it('is shown nowhere when its row is rewritten and others follow it', async () => {
    const ledger = await covered();
    const [id = ''] = await send(ledger.http, 10, 2);
    await put(forged(await rowOf(ledger, id)));
    await expectRejected(ledger, id);
  });

  it('is shown before and after the next checkpoint, with the same place in the tree', async () => {
    const ledger = await covered(250);
    const more = await send(ledger.http, 1_000, 20);
    const all = [...ledger.ids.slice(-2), ...more];
    const statuses = async () => Promise.all(all.map(async (id) => (await ledger.http.get(`/v1/events/${id}`)).status));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    await sealed(ledger.http, { scope: { member_id: MEMBER } });
    expect(new Set(await statuses())).toEqual(new Set([200]));
    for (const id of all) {
      const proof = (await ledger.http.get(`/v1/events/${id}/proof`)).json;
      expect((await ledger.http.get(`/v1/events/${id}`)).json.tree_index).toBe(proof.tree_index);
    }
  });
});

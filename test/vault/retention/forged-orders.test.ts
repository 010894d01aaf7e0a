import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  Acts,
  openVault,
  sealTenant,
  startTestServer,
  storeBlob,
  type TestServer,
  takeDocument,
  type VaultProcess,
  wormOfTenant,
  YEAR_MS,
} from './retention-kit.js';

// Someone with the driver writes the rows that a disposal leaves between its steps, and waits for the next sweep.

let server: TestServer;
let vault: VaultProcess;
let next = 1;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server, { env: { SERVICE_WORM_SEGMENT_RECORDS: '100' } });
});
afterAll(async () => {
  await vault.close();
  await server.stop();
});

type Row = Document & { readonly _id: string };
const rows = (name: string) => vault.database.db.collection<Row>(name);
const events = () => vault.database.db.collection('ledger');
const newActs = async (): Promise<Acts> => new Acts(vault, await vault.tenant(`forged-${next++}`));
const DECADE_MS = 10.1 * YEAR_MS;

/** The order that the service would have written for an event. */
async function eventOf({ tenant }: Acts, eventId: string): Promise<Document> {
  const row = await events().findOne({ tenant_id: tenant, event_id: eventId });
  const { _id, worm_sha256, query }: Document = row ?? {};
  const place = { event_id: eventId, source_system: _id.source_system, sequence: _id.seq };
  return { ...place, member_id: query.member_id ?? null, worm_sha256, raw_sha256: null };
}

/** Writes an order and its permit into the database. @returns its identifier. */
async function forge(tenant: TenantId, contents: object, status = 'PREPARED'): Promise<string> {
  const id = vault.local.deps.ids.next('disposal');
  const at = new Date(vault.clock.nowMs());
  const order = { tenant_id: tenant, sweep_id: vault.local.deps.ids.next('sweep'), status, at, gone_at: null };
  const disposed_at = status === 'PREPARED' ? null : at;
  const named = { policies: ['default=10y'], events: [], documents: [], ...contents };
  await rows('disposals').insertOne({ _id: id, ...order, disposed_at, ...named, pending: [] });
  const permit = { $addToSet: { permits: id }, $setOnInsert: { epoch: 0, passes: 0 } };
  await rows('deletion_gates').updateOne({ _id: tenant }, permit, { upsert: true });
  return id;
}

const permitsOf = async (tenant: TenantId): Promise<unknown> =>
  (await rows('deletion_gates').findOne({ _id: tenant }))?.['permits'];

const DOCUMENT = 'query($id: String!) { document(document_id: $id) { status } }';
const statusOf = async ({ tenant }: Acts, id: string): Promise<string> =>
  (await vault.ask('vault', tenant, DOCUMENT, { id })).document.status;

describe('a forged order with a forged permit', () => {
  it('disposes of no event under a hold', async () => {
    const acts = await newActs();
    const [held = '', free = ''] = await acts.ingest([1, 2]);
    await acts.hold({ event_ids: [held] });
    vault.clock.advance(DECADE_MS);
    await forge(acts.tenant, { events: [await eventOf(acts, held), await eventOf(acts, free)] });
    await acts.sweep();
    expect([await acts.stateOf(held), await acts.stateOf(free)]).toEqual(['INCLUDED', 'DISPOSED']);
    expect(await permitsOf(acts.tenant)).toEqual([]);
    expect(await acts.verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it('disposes of no event that is not due, also when a hold completes it', async () => {
    const acts = await newActs();
    const [young = '', other = ''] = await acts.ingest([1, 2]);
    vault.clock.advance(YEAR_MS);
    const forged = await forge(acts.tenant, { events: [await eventOf(acts, young), await eventOf(acts, other)] });
    await acts.hold({ event_ids: [other] });
    await acts.sweep();
    expect([await acts.stateOf(young), await acts.stateOf(other)]).toEqual(['INCLUDED', 'INCLUDED']);
    expect(await permitsOf(acts.tenant)).toEqual([]);
    expect(await rows('disposals').findOne({ _id: forged })).toMatchObject({ status: 'REFUSED', events: [] });
  });

  it('disposes of no document that is held or not due, and drops no bytes that it names', async () => {
    const acts = await newActs();
    const [mine, young] = [await storeBlob(vault, acts.tenant, 'held'), await storeBlob(vault, acts.tenant, 'young')];
    const held = await takeDocument(vault, acts.tenant, mine, { member_ids: ['M-held'] });
    await acts.hold({ member_ids: ['M-held'] });
    vault.clock.advance(DECADE_MS);
    const fresh = await takeDocument(vault, acts.tenant, young);
    vault.clock.advance(YEAR_MS);
    const stored = await storeBlob(vault, acts.tenant, 'of nobody');
    vault.clock.advance(YEAR_MS);
    const documents = [
      { document_id: held, member_ids: [], sha256s: [mine, stored] },
      { document_id: fresh, member_ids: [], sha256s: [young] },
    ];
    await forge(acts.tenant, { documents });
    await acts.sweep();
    expect([await statusOf(acts, held), await statusOf(acts, fresh)]).toEqual(['AVAILABLE', 'AVAILABLE']);
    const { worm } = await wormOfTenant(vault, acts.tenant);
    expect(await worm.blobSize(stored)).toBe(9);
  });

  it.each<[string, object]>([
    ['no lists', { events: 7, documents: null }],
    ['an event that is no object', { events: ['evt'] }],
    ['an entry of a reserved partition', { events: [{ event_id: 'evt_1', source_system: '_custody', sequence: 1 }] }],
  ])('stops neither sweeps nor holds when it has %s', async (_, contents) => {
    const acts = await newActs();
    const [event = ''] = await acts.ingest([1]);
    vault.clock.advance(DECADE_MS);
    await forge(acts.tenant, contents);
    expect(await acts.sweep()).toMatchObject({ events: { disposed: 1 } });
    expect(await acts.stateOf(event)).toBe('DISPOSED');
    expect(await permitsOf(acts.tenant)).toEqual([]);
  });
});

describe('a forged order that looks disposed', () => {
  it('drops no bytes, leaves no certificate and is reported', async () => {
    const acts = await newActs();
    const stored = await storeBlob(vault, acts.tenant, 'of nobody');
    vault.clock.advance(YEAR_MS);
    const id = await forge(
      acts.tenant,
      { documents: [{ document_id: vault.local.deps.ids.next('document'), member_ids: [], sha256s: [stored] }] },
      'DISPOSED',
    );
    await acts.sweep();
    const { worm } = await wormOfTenant(vault, acts.tenant);
    expect(await worm.blobSize(stored)).toBe(9);
    expect(await rows('disposals').findOne({ _id: id })).toMatchObject({ status: 'DISPOSED' });
    const query = '{ exceptions(kind: "CHAIN_BREAK") { items { subject { id } } } }';
    const { exceptions } = await vault.ask('ledger', acts.tenant, query);
    expect(exceptions.items).toEqual([{ subject: { kind: 'RECORD', id: `disposal-order/${id}` } }]);
  });
});

describe('a disposed order', () => {
  it.each<[string, Document]>([
    ['forgets its copies', { $set: { 'events.0.worm_sha256': null } }],
    ['names other bytes', { $set: { 'events.0.raw_sha256': 'a'.repeat(64) } }],
    ['names another event', { $set: { 'events.0.event_id': 'evt_01JQ0000000000000000000001' } }],
    ['names another policy', { $set: { policies: ['default=6y'] } }],
  ])('is not certified as gone when its row %s', async (_, change) => {
    const acts = await newActs();
    await acts.ingest([1]);
    vault.clock.advance(DECADE_MS);
    await acts.sweep();
    await rows('disposals').updateOne({ tenant_id: acts.tenant }, change);
    await acts.sweep();
    expect(await rows('disposals').findOne({ tenant_id: acts.tenant })).toMatchObject({ status: 'DISPOSED' });
    const query = '{ exceptions(kind: "CHAIN_BREAK") { items { subject { id } } } }';
    expect((await vault.ask('ledger', acts.tenant, query)).exceptions.items).toHaveLength(1);
  });
});

describe('a sweep', () => {
  it.each<[string, Document]>([
    ['an older time', { $set: { 'query.effective_at': new Date(0) } }],
    ['another family', { $set: { 'query.event_family': 'claims' } }],
    ['another member', { $set: { 'query.member_id': 'M-other' } }],
    ['another time of recording', { $set: { recorded_at: new Date(0) } }],
    ['no record', { $unset: { record: true } }],
  ])('names an event with %s written to its row, keeps it, and continues', async (_, change) => {
    const acts = await newActs();
    const policies = [{ event_family: 'utilization_management', years: 20 }];
    const put = 'mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision } }';
    await vault.ask('vault', acts.tenant, put, { input: { default_years: 10, policies } });
    const [edited = ''] = await acts.ingest([1], { member_id: 'M-held' });
    const [other = ''] = await acts.ingest([2], { event_family: 'claims' });
    await acts.hold({ member_ids: ['M-held'] });
    vault.clock.advance(DECADE_MS * 2);
    await events().updateOne({ tenant_id: acts.tenant, event_id: edited }, change);
    expect(await acts.sweep()).toMatchObject({ events: { past_age: 1, disposed: 1, held: 0, damaged: 1 } });
    expect([await acts.stateOf(edited), await acts.stateOf(other)]).toEqual([
      String(_).startsWith('no record') || String(_).includes('recording') ? 'INTEGRITY_FAILURE' : 'INCLUDED',
      'DISPOSED',
    ]);
    const query = '{ exceptions(kind: "CHAIN_BREAK") { items { detail } } }';
    const { exceptions } = await vault.ask('ledger', acts.tenant, query);
    expect(JSON.stringify(exceptions.items)).toContain(edited);
  });
});

describe('a sweep over documents', () => {
  it('names a document with an edited row, and one with a damaged event, keeps both, and continues', async () => {
    const acts = await newActs();
    const [event = ''] = await acts.ingest([1]);
    const take = async (text: string, more: object = {}): Promise<string> =>
      takeDocument(vault, acts.tenant, await storeBlob(vault, acts.tenant, text), more);
    const edited = await take('edited');
    const attached = await take('attached', { event_ids: [event] });
    const sound = await take('sound');
    vault.clock.advance(DECADE_MS);
    await rows('documents').updateOne({ _id: edited }, { $set: { title: 'Forged' } });
    await events().updateOne({ tenant_id: acts.tenant, event_id: event }, { $set: { 'query.member_id': 'M-9' } });
    expect(await acts.sweep()).toMatchObject({
      events: { disposed: 0, damaged: 1 },
      documents: { past_age: 1, disposed: 1, held: 0, damaged: 2 },
    });
    expect([await statusOf(acts, attached), await statusOf(acts, sound)]).toEqual(['AVAILABLE', 'DISPOSED']);
    const query = '{ exceptions(kind: "CHAIN_BREAK") { items { subject { id } } } }';
    const { exceptions } = await vault.ask('ledger', acts.tenant, query);
    const named = exceptions.items.map(({ subject }: { subject: { id: string } }) => subject.id);
    expect(named).toContain(`document/${edited}`);
    await rows('documents').updateOne({ _id: edited }, { $set: { title: null } });
    expect(await acts.sweep()).toMatchObject({ documents: { disposed: 1, damaged: 1 } });
  });
});

describe('an event', () => {
  it('is disposed of by its fact alone: lost and damaged ones are neither disposed nor whole', async () => {
    const acts = await newActs();
    const [disposed = '', crashed = ''] = await acts.ingest([1, 2]);
    vault.clock.advance(DECADE_MS);
    await acts.sweep();
    await events().deleteOne({ tenant_id: acts.tenant, event_id: crashed });
    const [damaged = '', lost = ''] = await acts.ingest([3, 4]);
    const [whole = ''] = await acts.ingest([5], { source_system: 'another-chain' });
    await events().updateOne({ tenant_id: acts.tenant, event_id: damaged }, { $unset: { record: true } });
    await events().deleteOne({ tenant_id: acts.tenant, event_id: lost });
    const asked = [disposed, crashed, whole, damaged, lost];
    const { candidates, ...others } = await vault.local.deps.ledgerDisposal.facts(acts.tenant, asked);
    expect(candidates.map(({ event_id }) => event_id)).toEqual([whole]);
    expect(others).toEqual({ disposed: [disposed, crashed], damaged: [damaged] });
  });
});

describe('a segment', () => {
  it('is not dropped because its row says that a drop has begun', async () => {
    const acts = await newActs();
    for (let n = 0; n < 90; n += 30) await acts.ingest(Array.from({ length: 30 }, (_, i) => n + i));
    const { worm, upkeep } = await wormOfTenant(vault, acts.tenant);
    vault.clock.advance(3_600_000);
    await sealTenant(vault, acts.tenant);
    const sealed = (await upkeep.segments()).find(({ state }) => state === 'SEALED');
    const names = await upkeep.names(String(sealed?._id), null, 200);
    await rows('worm_segments').updateOne({ _id: String(sealed?._id) }, { $set: { state: 'DROPPED' } });
    await acts.sweep().catch(() => undefined);
    await rows('worm_segments').updateOne({ _id: String(sealed?._id) }, { $set: { state: 'SEALED' } });
    expect((await worm.presentRecords(names)).size).toBe(names.length);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { INGEST, type LedgerProcess, logIdOf, startLedger, VERIFY } from '../ledger-kit.js';

let server: TestServer;
let database: Database;
let ledger: LedgerProcess;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('verify');
  ledger = await startLedger(database);
});

afterAll(async () => {
  await ledger.close();
  await server.stop();
});

interface Row {
  readonly _id: { readonly tenant_id: string; readonly source_system: string; readonly seq: number };
  readonly event_id: string;
  readonly record: { readonly buffer: Uint8Array };
  readonly seed: { readonly buffer: Uint8Array };
  readonly recorded_at: Date;
  readonly worm_sha256: string;
  readonly query: Record<string, unknown>;
}

/** A tenant with a chain of `count` events, with copies old enough that no grace period applies. */
async function tenantWithChain(count: number): Promise<string> {
  const tenant = `tenant-${nextTenant++}`;
  const items = Array.from({ length: count }, (_, n) => envelope(n));
  expect((await ledger.run(INGEST, { items }, tenant)).ingestEvents.accepted).toBe(count);
  ledger.clock.advance(120_000);
  return tenant;
}

const rows = () => database.db.collection<Row>('ledger');
const idOf = (tenant_id: string, seq: number, source_system = 'um-core') => ({ tenant_id, source_system, seq });

async function verify(tenant: string, range: Record<string, unknown> = {}) {
  return (await ledger.run(VERIFY, range, tenant)).verifyLedger;
}

async function rowOf(tenant: string, seq: number): Promise<Row> {
  const row = await rows().findOne({ _id: idOf(tenant, seq) });
  if (!row) throw new Error('no such row');
  return row;
}

const flipped = (bytes: { readonly buffer: Uint8Array }, at: number): Buffer => {
  const copy = Buffer.from(bytes.buffer);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

describe('verification of a ledger', () => {
  it('reports its coverage, and what it cannot check yet', async () => {
    const tenant = await tenantWithChain(3);
    const found = await verify(tenant);
    expect(found).toMatchObject({ valid: true, checked: 3, breaks: [] });
    expect(found.partitions).toMatchObject([
      { source_system: 'um-core', from_sequence: 1, to_sequence: 3, checked: 3 },
    ]);
    expect(found.not_checked.map((item: { what: string }) => item.what)).toEqual(['the tree over the last 3 entries']);
    expect(await verify('tenant-without-events')).toMatchObject({ valid: true, checked: 0, partitions: [] });
  });

  it('of a range checks that range and its link to the entry before', async () => {
    const tenant = await tenantWithChain(10);
    const found = await verify(tenant, { source: 'um-core', from: 4, to: 7 });
    expect(found).toMatchObject({ valid: true, checked: 4 });
    expect(found.partitions).toMatchObject([{ from_sequence: 4, to_sequence: 7 }]);
    await rows().updateOne({ _id: idOf(tenant, 3) }, { $set: { entry_hash: 'a'.repeat(64) } });
    expect((await verify(tenant, { from: 4, to: 7 })).breaks).toMatchObject([{ kind: 'LINK_MISMATCH', sequence: 4 }]);
    await expect(verify(tenant, { from: 7, to: 4 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(verify(tenant, { source: 'nowhere' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('finds a flipped bit anywhere in a ledger record, and names the event', async () => {
    const tenant = await tenantWithChain(5);
    const row = await rowOf(tenant, 3);
    for (const at of [0, 40, row.record.buffer.length - 2]) {
      await rows().updateOne({ _id: row._id }, { $set: { record: flipped(row.record, at) as never } });
      const { valid, breaks } = await verify(tenant);
      expect(valid).toBe(false);
      expect(breaks[0]).toMatchObject({ kind: 'RECORD_MISMATCH', sequence: 3, event_id: row.event_id });
      expect(new Set(breaks.map((item: { sequence: number }) => item.sequence))).toEqual(new Set([3]));
    }
    await rows().updateOne({ _id: row._id }, { $set: { record: row.record as never } });
    expect(await verify(tenant)).toMatchObject({ valid: true });
  });

  it('finds a changed seed, time, hash, identity, query field or duplicate key', async () => {
    const tenant = await tenantWithChain(5);
    const row = await rowOf(tenant, 2);
    const later = new Date(row.recorded_at.getTime() + 1);
    const cases: [Record<string, unknown>, string[]][] = [
      [{ seed: flipped(row.seed, 5) }, ['COMMIT_MISMATCH', 'FIELDS_MISMATCH']],
      [{ recorded_at: later }, ['ENTRY_HASH_MISMATCH']],
      [{ commit: 'b'.repeat(64) }, ['ENTRY_HASH_MISMATCH', 'COMMIT_MISMATCH']],
      [{ fields: 'b'.repeat(64) }, ['ENTRY_HASH_MISMATCH', 'FIELDS_MISMATCH']],
      [{ event_id: 'evt_01JQ0000000000000000000009' }, ['ENTRY_HASH_MISMATCH', 'IDENTITY_MISMATCH']],
      [{ worm_sha256: 'c'.repeat(64) }, ['RECORD_MISMATCH', 'WORM_MISSING']],
      [{ 'query.member_id': 'M-somebody-else' }, ['QUERY_FIELDS_MISMATCH']],
      [{ 'query.effective_at': new Date(0) }, ['QUERY_FIELDS_MISMATCH']],
      [{ duplicate_key: 'd'.repeat(64) }, ['DUPLICATE_KEY_MISMATCH']],
      [{ prev_hash: 'e'.repeat(64) }, ['LINK_MISMATCH', 'ENTRY_HASH_MISMATCH']],
    ];
    for (const [change, kinds] of cases) {
      await rows().updateOne({ _id: row._id }, { $set: change });
      const { breaks } = await verify(tenant);
      const here = breaks.filter((item: { sequence: number }) => item.sequence === 2);
      expect(here.map((item: { kind: string }) => item.kind)).toEqual(kinds);
      await rows().replaceOne({ _id: row._id }, row as never);
    }
    expect(await verify(tenant)).toMatchObject({ valid: true });
  });

  it('finds a removed row, two swapped rows, and a record rewritten with its own hashes', async () => {
    const tenant = await tenantWithChain(6);
    const [third, fourth] = [await rowOf(tenant, 3), await rowOf(tenant, 4)];
    await rows().deleteOne({ _id: third._id });
    expect((await verify(tenant)).breaks).toMatchObject([{ kind: 'SEQUENCE_GAP', sequence: 3, event_id: null }]);
    await rows().deleteOne({ _id: fourth._id });
    await rows().insertMany([
      { ...third, _id: fourth._id },
      { ...fourth, _id: third._id },
    ] as never[]);
    const swapped = (await verify(tenant)).breaks.map((item: { kind: string }) => item.kind);
    expect(swapped).toEqual(expect.arrayContaining(['LINK_MISMATCH', 'ENTRY_HASH_MISMATCH']));
  });

  it('finds a flipped bit in a write-once record, and a missing one', async () => {
    const tenant = await tenantWithChain(4);
    const row = await rowOf(tenant, 2);
    const worm = database.connection.getClient().db(`${database.db.databaseName}_worm`);
    const segments = await worm
      .collection<{ _id: string }>('worm_segments')
      .find({ log_id: logIdOf(tenant) })
      .toArray();
    const segment = worm.collection<{ _id: string; bytes: Buffer }>(segments[0]?._id ?? '');
    expect((await segment.find({}).toArray()).length).toBe(4);
    const changed = await segment.updateOne({ _id: row.worm_sha256 }, { $set: { bytes: flipped(row.record, 9) } });
    expect(changed.modifiedCount).toBe(1);
    expect((await verify(tenant)).breaks).toMatchObject([
      { kind: 'WORM_MISMATCH', sequence: 2, event_id: row.event_id, source_system: 'um-core' },
    ]);
    await segment.deleteOne({ _id: row.worm_sha256 });
    expect((await verify(tenant)).breaks).toMatchObject([{ kind: 'WORM_MISSING', sequence: 2 }]);
  });

  it('fails for a chain that was moved to another tenant', async () => {
    const [from, to] = [await tenantWithChain(2), `tenant-${nextTenant++}`];
    const moved = await rows().find({ '_id.tenant_id': from }).toArray();
    await rows().insertMany(
      moved.map((row) => ({ ...row, _id: { ...row._id, tenant_id: to }, tenant_id: to })) as never[],
    );
    const kinds = (await verify(to)).breaks.map((item: { kind: string }) => item.kind);
    expect(kinds).toEqual(expect.arrayContaining(['GENESIS_MISMATCH', 'ENTRY_HASH_MISMATCH', 'IDENTITY_MISMATCH']));
  });
});

describe('a record that a crash kept out of the write-once store', () => {
  it('is copied at the next start, and verifies', async () => {
    const tenant = await tenantWithChain(4);
    const row = await rowOf(tenant, 4);
    const worm = database.connection.getClient().db(`${database.db.databaseName}_worm`);
    const segments = await worm
      .collection<{ _id: string }>('worm_segments')
      .find({ log_id: logIdOf(tenant) })
      .toArray();
    await worm.collection<{ _id: string }>(segments[0]?._id ?? '').deleteOne({ _id: row.worm_sha256 });
    expect(await verify(tenant)).toMatchObject({ valid: false });
    const restarted = await startLedger(await server.connect('verify'));
    expect(await verify(tenant)).toMatchObject({ valid: true, checked: 4 });
    expect(restarted.logLines.join('')).toContain('write-once store lacked');
    await restarted.close();
  });
});

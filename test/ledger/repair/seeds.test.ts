import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { Database } from '../../../shared/db/database.js';
import { type Beneath, dropFolder, WORM_DRIVERS, type WormPlace } from '../../shared/worm/drivers.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type Evidence, evidenceLogId, openEvidence } from '../integrity/evidence-kit.js';

// The name of a write-once record does not cover its seed; the commitment of the entry does.

interface Place {
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
}

type Row = Document & { readonly _id: Place };

const HOUR_MS = 3_600_000;

describe.each(WORM_DRIVERS)('the seed of a write-once copy over $name', ({ folder: folderOf, beneath: beneathOf }) => {
  let server: TestServer;
  let database: Database;
  let evidence: Evidence;
  let beneath: Beneath;
  let folder: WormPlace = null;
  let nextTenant = 0;

  beforeAll(async () => {
    server = await startTestServer();
    database = await server.connect('seeds');
    folder = await folderOf();
    evidence = await openEvidence(database, { wormFolder: folder });
    beneath = beneathOf(database, folder);
  });

  afterAll(async () => {
    await evidence.close();
    await server.stop();
    await dropFolder(folder);
  });

  const idOf = (tenant_id: string) => ({ tenant_id, source_system: 'um-core', seq: 2 });

  /** A tenant with a chain of three entries under a checkpoint. */
  async function kept(): Promise<string> {
    const tenant = `seeds-${nextTenant++}`;
    await evidence.events(tenant, 3);
    await evidence.checkpoint(tenant);
    evidence.clock.advance(HOUR_MS);
    return tenant;
  }

  async function row(tenant: string): Promise<Row> {
    const found = await database.db.collection<Row>('ledger').findOne({ _id: idOf(tenant) });
    if (!found) throw new Error('no such row');
    return found;
  }

  const segmentOf = async (tenant: string): Promise<string> => {
    const db = database.connection.getClient().db(`${database.db.databaseName}_worm`);
    const segments = db.collection<{ _id: string }>('worm_segments').find({ log_id: evidenceLogId(tenant) });
    const [first] = await segments.sort({ _id: 1 }).toArray();
    return first?._id ?? '';
  };

  it.each([
    ['has no seed', undefined],
    ["has another entry's seed", Buffer.alloc(32, 1)],
  ])('names a write-once copy that %s, and stores it again', async (_, forged) => {
    const tenant = await kept();
    const { worm_sha256, record, seed } = await row(tenant);
    const [segment, bytes] = [await segmentOf(tenant), Buffer.from(record.buffer)];
    await beneath.replace(segment, worm_sha256, bytes, forged);
    const detail = expect.stringContaining('the seed of the record');
    const { breaks } = await evidence.verify(tenant);
    expect(breaks).toMatchObject([{ kind: 'WORM_MISMATCH', sequence: 2, detail }]);
    await evidence.scrub(tenant);
    await evidence.reconcile(tenant);
    const found = evidence.exceptions.filter(({ tenantId }) => tenantId === tenant);
    const named = { kind: 'WORM_MISMATCH', subject: { kind: 'WORM_RECORD', id: worm_sha256 } };
    const compared = { compared: 'the seed of the record with the commitment of its entry' };
    expect(found).toMatchObject([
      { ...named, detail: { segment, ...compared } },
      { ...named, detail: { sequence: 2, ...compared } },
    ]);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 2, outcome: 'RESTORED', missing: ['worm'] }]);
    expect(await evidence.verify(tenant)).toMatchObject({ valid: true, breaks: [] });
    await evidence.reconcile(tenant);
    expect(evidence.exceptions.filter(({ tenantId }) => tenantId === tenant)).toHaveLength(2);
    // The restored copy gives the row back.
    await database.db.collection<Row>('ledger').deleteOne({ _id: idOf(tenant) });
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 2, outcome: 'RESTORED', from: 'WORM' }]);
    expect(Buffer.from((await row(tenant))['seed'].buffer)).toEqual(Buffer.from(seed.buffer));
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerOver } from '../../../gateway/caller.js';
import { LocalDataSource } from '../../../gateway/local-data-source.js';
import { servicePorts } from '../../../gateway/ports/service-ports.js';
import type { Checkpoints } from '../../../shared/contracts/checkpoints.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { parseVerifier } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { recordingLogger } from '../../support/fakes.js';
import { EVENT, INGEST, type LedgerProcess, logIdOf, startLedger } from '../ledger-kit.js';
import { NamedSigningKeys } from './checkpoints-kit.js';

let server: TestServer;
let process: LedgerProcess;
const signingKeys = new NamedSigningKeys();
let checkpoints: Checkpoints;

beforeAll(async () => {
  server = await startTestServer();
  process = await startLedger(await server.connect('force'), { signingKeys });
  const sources = new Map([['ledger' as const, new LocalDataSource(process.ledger.schema, recordingLogger().logger)]]);
  checkpoints = servicePorts(callerOver(sources, 'test'), { next: () => '' }).checkpoints;
});
afterAll(async () => {
  await process.close();
  await server.stop();
});

const ingest = async (tenant: string, count: number): Promise<readonly string[]> => {
  const items = Array.from({ length: count }, (_, n) => envelope(`${n}-${count}`));
  const { results } = (await process.run(INGEST, { items }, tenant)).ingestEvents;
  return results.map(({ event_id }: { event_id: string }) => event_id);
};
const PROOF = 'query($id: String!) { eventProof(event_id: $id) { tree_index hashes checkpoint { tree_size } } }';

describe('a requested checkpoint', () => {
  it('covers everything acknowledged before, and anyone may read it', async () => {
    const tenant = 'force-one';
    const [first = ''] = await ingest(tenant, 20);
    expect((await process.run(EVENT, { id: first }, tenant)).event.tree_index).toBeNull();
    await expect(process.run(PROOF, { id: first }, tenant)).rejects.toMatchObject({ code: 'CONFLICT' });
    const published = await checkpoints.force(tenant as TenantId);
    expect(published).toMatchObject({ tree_size: 21, incarnation: 1, witnesses: [] });
    expect(published.origin).toBe(`eas.localhost/eas/${logIdOf(tenant)}/inc-1`);
    const trust = { logKeys: [parseVerifier(published.verifier_key)], origin: published.origin };
    expect(openCheckpoint(published.note, trust).root.toString('hex')).toBe(published.root_hash);
    expect((await process.run(EVENT, { id: first }, tenant)).event.tree_index).toBe(0);
    const { eventProof } = await process.run(PROOF, { id: first }, tenant);
    expect(eventProof).toMatchObject({ tree_index: 0, checkpoint: { tree_size: 21 } });
    expect(eventProof.hashes).toHaveLength(5);
    expect((await process.run(PROOF, { id: first }, 'force-other')).eventProof).toBeNull();
    const stored = '{ latestCheckpoint { checkpoint_id note } }';
    expect((await process.run(stored, {}, tenant)).latestCheckpoint).toEqual({
      checkpoint_id: published.checkpoint_id,
      note: published.note,
    });
  });

  it('is reported once as a platform event, and is rejected for an empty ledger', async () => {
    const tenant = 'force-two';
    await expect(checkpoints.force(tenant as TenantId)).rejects.toMatchObject({ code: 'CONFLICT' });
    await ingest(tenant, 3);
    const first = await checkpoints.force(tenant as TenantId);
    expect(await checkpoints.force(tenant as TenantId)).toEqual(first);
    const told = process.platformEvents.messages.filter(({ tenantId }) => tenantId === tenant);
    expect(told).toMatchObject([{ type: 'checkpoint.published', data: { checkpoint_id: first.checkpoint_id } }]);
  });

  it('is rejected as a proof if the stored tree does not lead to it', async () => {
    const tenant = 'force-three';
    const [first = ''] = await ingest(tenant, 6);
    await checkpoints.force(tenant as TenantId);
    const database = await server.connect('force');
    const leaf = { tenant_id: tenant, tree_index: 3 };
    const spoil = { $set: { entry_hash: Buffer.alloc(32, 1) } };
    await database.db.collection('ledger_tree').updateOne({ _id: leaf } as never, spoil);
    const other = await startLedger(database, { signingKeys: new NamedSigningKeys() });
    await expect(other.run(PROOF, { id: first }, tenant)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    await other.close();
  });

  it('has the same proof if saved upper tiles are damaged', async () => {
    const tenant = 'force-four';
    const [first = ''] = await ingest(tenant, 300);
    await checkpoints.force(tenant as TenantId);
    const database = await server.connect('force');
    const leases = database.db.collection<{ _id: string }>('ledger_tree_leases');
    const spoil = { $set: { 'edges.tiles.0.hashes': Buffer.alloc(32, 1) } };
    const { modifiedCount } = await leases.updateOne({ _id: tenant, 'edges.tiles.0.level': 1 }, spoil);
    expect(modifiedCount).toBe(1);
    const other = await startLedger(database, { signingKeys });
    const { eventProof } = await other.run(PROOF, { id: first }, tenant);
    expect(eventProof).toEqual((await process.run(PROOF, { id: first }, tenant)).eventProof);
    await other.close();
  });
});

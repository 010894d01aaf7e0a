import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { parseVerifier } from '../../../shared/notes/note-keys.js';
import { verifyTlogProof } from '../../shared/notes/read-tlog-proof.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let server: TestServer;
let service: WholeService;
beforeAll(async () => {
  server = await startTestServer();
  service = await startWholeService({ MONGODB_URI: server.uri });
});
afterAll(async () => {
  await service.stop();
  await server.stop();
});

/** A tenant with an event under a checkpoint. */
async function noted(): Promise<Http> {
  const { http } = await freshTenant(service.operator, ['admin']);
  const { json } = await http.post('/v1/events', envelope(1));
  await eventually(
    () => http.get(`/v1/events/${json.event_id}/proof`),
    ({ status }) => status === 200,
  );
  return http;
}

/** Makes an alarm ring now. */
async function ring(name: string): Promise<void> {
  const client = await MongoClient.connect(server.uri);
  for (const database of (await client.db().admin().listDatabases()).databases)
    await client
      .db(database.name)
      .collection('alarms')
      .updateOne({ name }, { $set: { nextRunAt: new Date() } });
  await client.close();
}

it("one note of the operator's log covers every tenant, which each tenant proves by itself", async () => {
  const tenants = [await noted(), await noted()];
  expect((await tenants[0]?.get('/v1/ledger/operator-proof'))?.json).toMatchObject({ code: 'CONFLICT' });
  await ring('ledger.log_roots');
  const roots = new Set<string>();
  for (const http of tenants) {
    const proof = (
      await eventually(
        () => http.get('/v1/ledger/operator-proof'),
        ({ status }) => status === 200,
      )
    ).json;
    const { logs, root_hash, leaf_index, checkpoint, entry, record } = proof;
    const claim = {
      leaf: leafHash(Buffer.from(checkpoint.note)),
      index: leaf_index,
      size: logs,
      root: Buffer.from(root_hash, 'hex'),
      proof: proof.hashes.map((hash: string) => Buffer.from(hash, 'hex')),
    };
    expect(verifyInclusion(claim)).toBe(true);
    expect(JSON.parse(record).payload).toMatchObject({ period: proof.period, logs, root_hash });
    const trust = { logKeys: [parseVerifier(entry.checkpoint.verifier_key)], origin: entry.checkpoint.origin };
    const told = verifyTlogProof(entry.tlog_proof, Buffer.from(entry.entry_hash, 'hex'), trust);
    expect(told.index).toBe(entry.tree_index);
    expect(entry.checkpoint.origin).not.toBe(checkpoint.origin);
    roots.add(`${proof.period} ${root_hash} ${entry.event_id}`);
  }
  expect(roots.size).toBe(1);
  const { http: empty } = await freshTenant(service.operator, ['admin']);
  expect((await empty.get('/v1/ledger/operator-proof')).status).toBe(409);
});

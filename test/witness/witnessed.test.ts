import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document, UpdateFilter } from 'mongodb';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { startWitness, type WitnessProcess } from '../support/witness-process.js';

let folder: string;
let server: TestServer;
let database: Database;
let witness: WitnessProcess;
let service: ServiceProcess;
let http: Http;

const start = (env: Readonly<Record<string, string>>): Promise<ServiceProcess> =>
  startServiceProcess(join(folder, 'data'), { MONGODB_URI: server.uri, SERVICE_MASTER_KEY: '13'.repeat(32), ...env });
const latest = async () => (await http.get('/v1/ledger/checkpoints/latest')).json;
const verified = async () => (await http.get('/v1/ledger/verify')).json;
const rows = () => database.db.collection<Document & { _id: string }>('ledger_checkpoints');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witnessed-'));
  server = await startTestServer();
  database = await connectDatabase(server.uri);
  service = await start({});
  http = (await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin'])).http;
  await http.post('/v1/events', envelope('first'));
  const { verifier_key } = await eventually(latest, ({ tree_size }) => tree_size > 0);
  await service.stop();
  witness = await startWitness(folder, [verifier_key]);
  service = await start({ SERVICE_WITNESSES: witness.entry });
  http = new Http(service.url, http.key);
  await http.post('/v1/events', envelope('second'));
  expect((await eventually(latest, ({ witnesses }) => witnesses?.length > 0)).witnesses).toEqual([
    'witness.example/w1',
  ]);
  // Later checkpoints have no cosignature.
  await witness.stop();
});
afterAll(async () => {
  await service.stop();
  await database.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a ledger with a cosigned checkpoint', () => {
  it('is VALID, and names the witness as its anchor', async () => {
    const { verdict, anchors, unanchored } = await verified();
    expect(verdict).toBe('VALID');
    const found = anchors.find(({ kind }: { kind: string }) => kind === 'WITNESS');
    expect(found).toMatchObject({ name: 'witness.example/w1' });
    expect(unanchored.since_size).toBe(found.tree_size);
  });

  it.each<[string, UpdateFilter<Document>]>([
    ['a key that nobody knows', { $set: { key_id: 'forged' } }],
    ['a key of another type', { $set: { key_id: 7 } }],
    ['another origin', { $set: { origin: 'forged.example/eas/log/inc-1' } }],
    ['another size', { $inc: { tree_size: 1_000 } }],
    ['another note', { $set: { note: 'forged\n1\nAAAA\n' } }],
  ])('is INVALID, without that anchor, when the rows of its cosigned checkpoints name %s', async (_, change) => {
    const cosigned = await rows().find({ witnesses: 'witness.example/w1' }).toArray();
    for (const { _id } of cosigned) await rows().updateOne({ _id }, change);
    const { verdict, anchors, breaks } = await verified();
    for (const row of cosigned) await rows().replaceOne({ _id: row._id }, row);
    expect(verdict).toBe('INVALID');
    expect(breaks.length).toBeGreaterThan(0);
    expect(anchors.filter(({ kind }: { kind: string }) => kind === 'WITNESS')).toEqual([]);
  });
});

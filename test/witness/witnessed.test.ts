import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../shared/db/database.js';
import { envelope } from '../support/envelopes.js';
import { eventually } from '../support/eventually.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { startWitness, type WitnessProcess } from '../support/witness-process.js';

let folder: string;
let witness: WitnessProcess;
let service: WholeService;
let database: Database;
let http: Http;
/** The cosigned checkpoint. */
let cosigned: { readonly checkpoint_id: string; readonly tree_size: number };

const latest = async () => (await http.get('/v1/ledger/checkpoints/latest')).json;
const verified = async () => (await http.get('/v1/ledger/verify')).json;
const rows = () => database.db.collection<Document & { _id: string }>('ledger_checkpoints');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witnessed-'));
  const early = await startWitness(folder, []);
  service = await startWholeService({ SERVICE_WITNESSES: early.entry });
  database = await connectDatabase(service.databaseUri);
  http = (await freshTenant(service.operator, ['admin'])).http;
  await http.post('/v1/events', envelope('first'));
  const { verifier_key } = await eventually(latest, ({ tree_size }) => tree_size > 0);
  await early.stop();
  witness = await startWitness(folder, [verifier_key], Number(new URL(early.url).port));
  await http.post('/v1/events', envelope('second'));
  cosigned = await eventually(latest, ({ witnesses }) => witnesses?.length > 0);
});
afterAll(async () => {
  await database.close();
  await service.stop();
  await witness.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a ledger with a cosigned checkpoint', () => {
  it('is VALID, and names the witness as its anchor', async () => {
    expect(await verified()).toMatchObject({
      verdict: 'VALID',
      anchors: expect.arrayContaining([
        expect.objectContaining({ kind: 'WITNESS', name: 'witness.example/w1', tree_size: cosigned.tree_size }),
      ]),
      unanchored: { since_size: cosigned.tree_size },
    });
  });

  it.each<[string, Document]>([
    ['a key that nobody knows', { key_id: 'forged' }],
    ['a key of another type', { key_id: 7 }],
    ['another origin', { origin: 'forged.example/eas/log/inc-1' }],
    ['another size', { tree_size: 1 }],
    ['a note without the cosignature', { note: 'forged\n1\nAAAA\n' }],
  ])('is INVALID, without that anchor, when the row of the checkpoint names %s', async (_, change) => {
    const row = await rows().findOne({ _id: cosigned.checkpoint_id });
    if (row === null) throw new Error('no row');
    await rows().updateOne({ _id: row._id }, { $set: change });
    const { verdict, anchors, breaks } = await verified();
    await rows().replaceOne({ _id: row._id }, row);
    expect(verdict).toBe('INVALID');
    expect(breaks.length).toBeGreaterThan(0);
    expect(anchors.filter(({ kind }: { kind: string }) => kind === 'WITNESS')).toEqual([]);
  });
});

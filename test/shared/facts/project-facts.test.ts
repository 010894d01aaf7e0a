import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { FactSweeps } from '../../../shared/facts/project-facts.js';
import type { RecurringSpec } from '../../../shared/jobs/jobs.js';
import { build } from '../../../subgraphs/vault/index.js';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';

const HOUR_MS = 3_600_000;

let server: TestServer;
let vault: VaultProcess;
let rows: Collection<Document & { _id: string }>;
let sweep: () => Promise<void>;
let next = 1;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
  rows = vault.database.db.collection('legal_holds');
  const registered: RecurringSpec[] = [];
  const { deps } = vault.local;
  const idle = { enqueue: async () => {}, wake: () => {} };
  const jobs = { queue: async () => idle, recurring: (spec: RecurringSpec) => void registered.push(spec) };
  await build({ ...deps, jobs } as never);
  const spec = registered.find(({ name }) => name === 'vault.project-facts');
  if (!spec) throw new Error('the sweep is not registered');
  sweep = () => spec.run(new AbortController().signal);
});

afterAll(async () => {
  await vault.close();
  await server.stop();
});

async function placed() {
  const acts = new Acts(vault, await vault.tenant(`swept-facts-${next++}`));
  const id = await acts.hold({ member_ids: ['M-1'] });
  const row = await rows.findOne({ _id: id });
  if (!row) throw new Error('no row');
  return { acts, id, row };
}

describe('the sweep of facts', () => {
  it('writes a row that a crash left out, even without a read', async () => {
    const { acts, id, row } = await placed();
    await rows.deleteOne({ _id: id });
    vault.clock.advance(HOUR_MS);
    await sweep();
    expect(await rows.findOne({ _id: id })).toMatchObject({ status: 'ACTIVE', fact: row['fact'] });
    expect(await acts.readHold(id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('lets a reader write the row before its first run', async () => {
    const { acts, id } = await placed();
    await rows.deleteOne({ _id: id });
    expect(await acts.readHold(id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('leaves a row that is missing afterwards to the check, which rejects it', async () => {
    const { acts, id } = await placed();
    vault.clock.advance(HOUR_MS);
    await sweep();
    await rows.deleteOne({ _id: id });
    await expect(acts.readHold(id)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('passes a row that fails its check, and writes the others', async () => {
    const broken = await placed();
    const { id } = await placed();
    await rows.updateOne({ _id: broken.id }, { $set: { reason: 'Forged.' } });
    await rows.deleteOne({ _id: id });
    await sweep();
    expect(await rows.findOne({ _id: id })).not.toBeNull();
    expect(await rows.findOne({ _id: broken.id })).toMatchObject({ reason: 'Forged.' });
    await expect(broken.acts.readHold(broken.id)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('covers no fact later than its own start', async () => {
    const { db } = vault.database;
    const sweeps = new FactSweeps({ db, clock: vault.clock, name: `own-${next++}` });
    expect(await sweeps.hasSwept(0)).toBe(false);
    const startedMs = vault.clock.nowMs();
    const deps = { facts: vault.local.deps.facts, ledgerDisposal: { tenantIds: async () => [] } };
    await sweeps.sweep(deps, [], new AbortController().signal);
    vault.clock.advance(60_000);
    expect(await sweeps.hasSwept(startedMs)).toBe(false);
    expect(await sweeps.hasSwept(startedMs - HOUR_MS)).toBe(true);
  });

  it('counts at once after another process has swept', async () => {
    const { db } = vault.database;
    const [name, { clock }] = [`own-${next++}`, vault];
    const sweeps = new FactSweeps({ db, clock, name });
    const factMs = clock.nowMs() - HOUR_MS;
    expect(await sweeps.hasSwept(factMs)).toBe(false);
    const deps = { facts: vault.local.deps.facts, ledgerDisposal: { tenantIds: async () => [] } };
    await new FactSweeps({ db, clock, name }).sweep(deps, [], new AbortController().signal);
    expect(await sweeps.hasSwept(factMs)).toBe(true);
  });
});

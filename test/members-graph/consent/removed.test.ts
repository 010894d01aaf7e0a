import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';

// Someone with the driver removes everything that the database holds of a consent, but not its facts.

let server: TestServer;
let vault: VaultProcess;
let next = 1;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
});
afterAll(async () => {
  await vault.close();
  await server.stop();
});

const GIVE = 'mutation($input: ConsentInput!) { createConsent(input: $input) { consent_id } }';
const READ = 'query($id: String!) { consent(consent_id: $id) { status } }';
const rows = (name: string) => vault.database.db.collection<Document & { _id: string }>(name);

/** A consent without its row and without the head of its member. */
async function removed(): Promise<{ readonly acts: Acts; readonly id: string }> {
  const acts = new Acts(vault, await vault.tenant(`removed-${next++}`));
  const input = { member_id: 'C-1', decision: 'DENY', purpose: 'TREATMENT' };
  const id = (await vault.ask('members-graph', acts.tenant, GIVE, { input })).createConsent.consent_id;
  await rows('consents').deleteOne({ _id: id });
  await rows('consent_heads').deleteMany({ tenant_id: acts.tenant });
  return { acts, id };
}

const read = ({ acts, id }: Awaited<ReturnType<typeof removed>>) =>
  vault.ask('members-graph', acts.tenant, READ, { id });

describe('a consent without its row and without the head of its member', () => {
  it('is written again from its facts, as after a crash', async () => {
    expect((await read(await removed())).consent).toEqual({ status: 'ACTIVE' });
  });

  it('fails once the sweep of the facts has passed, and opens an exception', async () => {
    const consent = await removed();
    vault.clock.advance(20_000);
    const swept_at = new Date(vault.clock.nowMs() + 600_000);
    await rows('fact_sweeps').updateOne({ _id: 'members-graph' }, { $set: { swept_at } }, { upsert: true });
    await expect(read(consent)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    const query = '{ exceptions(kind: "CHAIN_BREAK") { items { detail } } }';
    const { exceptions } = await vault.ask('ledger', consent.acts.tenant, query);
    expect(exceptions.items).toMatchObject([{ detail: { found: 'ROW_MISSING' } }]);
  });
});

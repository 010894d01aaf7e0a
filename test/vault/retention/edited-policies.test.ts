import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { Acts, openVault, startTestServer, type TestServer, type VaultProcess, YEAR_MS } from './retention-kit.js';

// Every event is 12 years old, and its policy keeps it for 20. The default, and each edit, would delete it.

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

const PUT = `mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision policies { years } } }`;
const GET = '{ retentionPolicies { revision default_years policies { event_family years } } }';
const EXCEPTIONS = '{ exceptions(kind: "CHAIN_BREAK") { items { subject { kind id } detail } } }';
const CUSTODY = '{ custody(action: "INTEGRITY_FAILURE") { items { subject { kind id } } } }';
const FAMILY = 'utilization_management';
const keptFor = (years: number) => ({ default_years: 10, policies: [{ event_family: FAMILY, years }] });

const put = (tenant: TenantId, input: object) => vault.ask('vault', tenant, PUT, { input });
const rows = () => vault.database.db.collection<Document & { _id: string }>('retention_policies');
const codeOf = ({ code }: { readonly code: string }): string => code;

interface Kept {
  readonly acts: Acts;
  readonly eventId: string;
  /** The row of the policies before the last change. */
  readonly earlier: Document & { _id: string };
}

/** A tenant with one event, past every age but that of its policy. */
async function kept(): Promise<Kept> {
  const acts = new Acts(vault, await vault.tenant(`policies-${next++}`));
  const [eventId = ''] = await acts.ingest([1]);
  await put(acts.tenant, keptFor(6));
  const earlier = await rows().findOne({ _id: acts.tenant });
  if (!earlier) throw new Error('no row');
  await put(acts.tenant, keptFor(20));
  vault.clock.advance(12 * YEAR_MS);
  return { acts, eventId, earlier };
}

/** Records that the job has written the rows of all facts so far. */
const passSweep = (): Promise<unknown> =>
  vault.database.db
    .collection<{ _id: string; swept_at: Date }>('fact_sweeps')
    .updateOne({ _id: 'vault' }, { $set: { swept_at: new Date(vault.clock.nowMs()) } }, { upsert: true });

describe('the disposal of a record that a policy keeps', () => {
  it.each<[string, object]>([
    ['shortens a policy', { $set: { 'policies.0.years': 6 } }],
    ['removes a policy', { $set: { policies: [] } }],
    ['inserts a shorter policy before it', { $set: { policies: [{ event_family: FAMILY, years: 6 }] } }],
    ['gives a policy to another family', { $set: { 'policies.0.event_family': 'claims' } }],
    ['shortens the default', { $set: { default_years: 1 } }],
    ['counts a policy from another time', { $set: { 'policies.0.counts_from': 'LATER' } }],
    ['makes the policies a number', { $set: { policies: 7 } }],
    ['dates the change back', { $set: { updated_at: new Date(0) } }],
    ['removes the fact of the row', { $unset: { fact: true } }],
    ['makes the fact of the row a text', { $set: { fact: 'none' } }],
    ['names another fact', { $set: { 'fact.seq': 1 } }],
  ])('fails when someone %s', async (_, change) => {
    const { acts, eventId } = await kept();
    const whole = await rows().findOne({ _id: acts.tenant });
    await rows().updateOne({ _id: acts.tenant }, change);
    expect(await acts.sweep().catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await acts.sweep(true).catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await vault.ask('vault', acts.tenant, GET).catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await put(acts.tenant, keptFor(6)).catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await acts.stateOf(eventId)).toBe('INCLUDED');
    const subject = { kind: 'RECORD', id: 'retention-policy/policies' };
    const { exceptions } = await vault.ask('ledger', acts.tenant, EXCEPTIONS);
    expect(exceptions.items).toEqual([expect.objectContaining({ subject })]);
    const { custody } = await vault.ask('ledger', acts.tenant, CUSTODY);
    expect(custody.items).toContainEqual({ subject: { kind: 'EVENT', id: subject.id } });
    await rows().replaceOne({ _id: acts.tenant }, whole ?? {});
    expect(await acts.sweep()).toMatchObject({ events: { past_age: 0, disposed: 0 } });
  });

  it('fails when someone inserts a row for a tenant without policies', async () => {
    const acts = new Acts(vault, await vault.tenant(`policies-${next++}`));
    const [eventId = ''] = await acts.ingest([1]);
    vault.clock.advance(5 * YEAR_MS);
    const { earlier } = await kept();
    const forged = { ...earlier, _id: acts.tenant, tenant_id: acts.tenant, default_years: 1, policies: [] };
    await rows().insertOne(forged);
    expect(await acts.sweep().catch(codeOf)).toBe('INTEGRITY_FAILURE');
    await rows().updateOne({ _id: acts.tenant }, { $unset: { fact: true } });
    expect(await acts.sweep().catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await acts.stateOf(eventId)).not.toBe('DISPOSED');
  });

  it.each<[string, (from: Kept) => Promise<unknown>]>([
    ['takes the row back to an earlier one', ({ acts, earlier }) => rows().replaceOne({ _id: acts.tenant }, earlier)],
    ['removes the row', ({ acts }) => rows().deleteOne({ _id: acts.tenant })],
  ])('follows the latest fact, and fails once the job has passed it, when someone %s', async (_, edit) => {
    const from = await kept();
    const { acts, eventId } = from;
    await edit(from);
    expect(await acts.sweep()).toMatchObject({ events: { past_age: 0, disposed: 0 } });
    expect((await vault.ask('vault', acts.tenant, GET)).retentionPolicies).toMatchObject({
      revision: 2,
      policies: [{ event_family: FAMILY, years: 20 }],
    });
    await passSweep();
    vault.clock.advance(20_000);
    await edit(from);
    expect(await acts.sweep().catch(codeOf)).toBe('INTEGRITY_FAILURE');
    expect(await acts.stateOf(eventId)).toBe('INCLUDED');
  });
});

describe('putRetentionPolicies', () => {
  it('makes one fact a change, and the ledger lists their history', async () => {
    const { acts } = await kept();
    const history = `{ events(source_system: "_records", source_record_id: "retention-policy/policies", order: "asc") {
      items { event_type payload } } }`;
    const { events } = await vault.ask('ledger', acts.tenant, history);
    expect(events.items).toMatchObject([
      { event_type: 'retention.policies-set', payload: { revision: 1, policies: [{ years: 6 }], previous: null } },
      { event_type: 'retention.policies-set', payload: { revision: 2, policies: [{ years: 20 }] } },
    ]);
    expect((await acts.verify()).valid).toBe(true);
  });

  it('accepts one of two concurrent changes after the same revision', async () => {
    const acts = new Acts(vault, await vault.tenant(`policies-${next++}`));
    const changes = [6, 7].map((years) =>
      put(acts.tenant, { ...keptFor(years), revision: 0 }).then(() => 'SET', codeOf),
    );
    expect((await Promise.all(changes)).sort()).toEqual(['CONFLICT', 'SET']);
  });
});

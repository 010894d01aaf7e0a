import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { Acts, openVault, startTestServer, type TestServer, type VaultProcess, YEAR_MS } from './retention-kit.js';

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

describe('the disposal of a record under a hold', () => {
  it.each([
    ['removes the row of the hold', null],
    ['marks the hold as released', { $set: { status: 'RELEASED' } }],
    ['empties its scope', { $set: { scope: {} } }],
    ['gives it to another tenant', { $set: { tenant_id: 'another' } }],
    ['removes its fact', { $unset: { fact: true } }],
  ])('does not happen when someone %s', async (_, change) => {
    const acts = new Acts(vault, await vault.tenant(`edited-${next++}`));
    const [eventId = ''] = await acts.ingest([1]);
    const holdId = await acts.hold({ event_ids: [eventId] });
    const rows = vault.database.db.collection<Document & { _id: string }>('legal_holds');
    const whole = await rows.findOne({ _id: holdId });
    if (!whole) throw new Error('no row');
    await (change === null ? rows.deleteOne({ _id: holdId }) : rows.updateOne({ _id: holdId }, change));
    vault.clock.advance(20 * YEAR_MS);
    // A removed row is written again from its fact until the job of the facts has passed it; any other edit fails.
    const outcome = await acts.sweep().catch(({ code }: { code: string }) => code);
    if (change !== null) expect(outcome).toBe('INTEGRITY_FAILURE');
    else expect(outcome).toMatchObject({ events: { disposed: 0, held: 1 } });
    expect(await acts.stateOf(eventId)).not.toBe('DISPOSED');
    await rows.replaceOne({ _id: holdId }, whole, { upsert: true });
    const swept = await acts.sweep();
    expect(swept.events).toMatchObject({ disposed: 0, held: 1 });
  });
});

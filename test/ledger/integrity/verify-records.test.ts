import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';

const HOUR_MS = 3_600_000;
const VERIFY = `query { verifyLedger { valid breaks { kind detail collection key field } not_checked { what } } }`;

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

const holds = () => vault.database.db.collection<Document & { _id: string }>('legal_holds');
const ledger = () => vault.database.db.collection('ledger');

async function placed() {
  const acts = new Acts(vault, await vault.tenant(`verified-records-${next++}`));
  const ids = [await acts.hold({ member_ids: ['M-1'] }), await acts.hold({ member_ids: ['M-2'] })];
  const verify = async () => (await vault.ask('ledger', acts.tenant, VERIFY)).verifyLedger;
  return { acts, id: ids[0] ?? '', other: ids[1] ?? '', verify };
}

/** As if a sweep had run an hour later. */
async function settle(): Promise<void> {
  vault.clock.advance(HOUR_MS);
  const swept_at = new Date(vault.clock.nowMs());
  await vault.database.db
    .collection<Document & { _id: string }>('fact_sweeps')
    .updateOne({ _id: 'vault' }, { $set: { swept_at } }, { upsert: true });
  vault.clock.advance(HOUR_MS);
}

describe('verification of the rows of records', () => {
  it('is valid for rows that their facts prove', async () => {
    const { verify } = await placed();
    expect(await verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it.each([
    ['a string', { reason: 'Forged.' }, 'ROW_DIFFERS', 'reason'],
    ['null', { scope: null }, 'ROW_DIFFERS', 'scope'],
    ['infinity', { revision: Number.POSITIVE_INFINITY }, 'ROW_DIFFERS', 'revision'],
    ['no list', { history: 7 }, 'ROW_DIFFERS', 'history'],
    ['an invalid date', { created_at: new Date(Number.NaN) }, 'ROW_DIFFERS', 'created_at'],
    ['a fact of a wrong type', { fact: 'none' }, 'ROW_MALFORMED', 'fact'],
    ['no fact', { fact: null }, 'ROW_MALFORMED', 'fact'],
  ])('names the row and the field that holds %s', async (_, change, kind, field) => {
    const { id, verify } = await placed();
    await holds().updateOne({ _id: id }, { $set: change });
    const { valid, breaks } = await verify();
    expect(valid).toBe(false);
    expect(breaks).toEqual([
      {
        kind,
        field,
        collection: 'legal_holds',
        key: `hold/${id}`,
        detail: expect.stringContaining(`RECORD hold/${id}`),
      },
    ]);
  });

  it('names a row without a fact, and a row with an identifier of a wrong type', async () => {
    const { id, verify } = await placed();
    const { _id, ...row } = (await holds().findOne({ _id: id })) ?? {};
    await holds().insertOne({ ...row, _id: 'hld_00000000000000000000000000' } as never);
    await holds().insertOne({ ...row, _id: 42 } as never);
    const { breaks } = await verify();
    expect(breaks.map(({ kind, key }: Document) => [kind, key])).toEqual([
      ['ROW_MALFORMED', 'hold/42'],
      ['FACT_MISSING', 'hold/hld_00000000000000000000000000'],
    ]);
  });

  it('names a removed row once the sweep has passed, and says before what it did not compare', async () => {
    const { id, verify } = await placed();
    await holds().deleteOne({ _id: id });
    expect(await verify()).toMatchObject({
      valid: true,
      not_checked: expect.arrayContaining([{ what: 'rows behind recent facts: 1' }]),
    });
    await settle();
    const { breaks } = await verify();
    expect(breaks).toMatchObject([{ kind: 'ROW_MISSING', key: `hold/${id}` }]);
  });

  it('names a row that was reset to an earlier fact', async () => {
    const { acts, id, verify } = await placed();
    const before = await holds().findOne({ _id: id });
    await acts.release(id);
    await holds().replaceOne({ _id: id }, before as never);
    await settle();
    const { breaks } = await verify();
    expect(breaks).toMatchObject([{ kind: 'ROW_DIFFERS', key: `hold/${id}`, field: 'fact' }]);
  });

  it('continues after a fact that does not verify', async () => {
    const { acts, id, other, verify } = await placed();
    await ledger().updateOne(
      { tenant_id: acts.tenant, fact_key: `hold/${id}\u0000first` },
      { $set: { record: Buffer.from('{}') } },
    );
    await holds().updateOne({ _id: other }, { $set: { reason: 'Forged.' } });
    const { breaks } = await verify();
    expect(breaks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'FACT_MISSING', key: `hold/${id}` }),
        expect.objectContaining({ kind: 'ROW_DIFFERS', key: `hold/${other}` }),
      ]),
    );
  });

  it('opens no exception, however many rows it names', async () => {
    const { acts, id, other, verify } = await placed();
    await holds().updateMany({ _id: { $in: [id, other] } }, { $set: { reason: 'Forged.' } });
    expect((await verify()).breaks).toHaveLength(2);
    const LIST = 'query { exceptions(limit: 10) { items { kind } } }';
    expect((await vault.ask('ledger', acts.tenant, LIST)).exceptions.items).toEqual([]);
  });
});

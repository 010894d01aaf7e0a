import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import type { DisposalOrder } from '../../../shared/contracts/disposal.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/index.js';
import { eventually } from '../../support/eventually.js';
import {
  Acts,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
} from '../../vault/retention/retention-kit.js';

// A process dies after the facts of a disposal and before the rows lose their content.

let server: TestServer;
let vault: VaultProcess;
let rows: Collection<Document & Pick<LedgerRow, '_id'>>;
let next = 1;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
  rows = vault.database.db.collection('ledger');
});
afterAll(async () => {
  await vault.close();
  await server.stop();
});

interface Crashed {
  readonly acts: Acts;
  readonly order: DisposalOrder;
  readonly ids: readonly string[];
}

/** Disposes of three events, and gives their rows back what they had before. */
async function crashed(): Promise<Crashed> {
  const acts = new Acts(vault, await vault.tenant(`crashed-${next++}`));
  const ids = await acts.ingest([1, 2, 3]);
  const whole = await rows.find({ tenant_id: acts.tenant, event_id: { $in: ids } }).toArray();
  const order: DisposalOrder = {
    disposal_id: vault.local.deps.ids.next('disposal'),
    at: new Date(vault.clock.nowMs()).toISOString(),
    policies: ['default=10y'],
    events: whole.map(({ _id, event_id }) => ({ event_id, source_system: _id.source_system, sequence: _id.seq })),
  };
  await vault.local.deps.ledgerDisposal.dispose(acts.tenant, order);
  for (const row of whole) await rows.replaceOne({ _id: row._id }, row);
  return { acts, order, ids };
}

const entriesOf = (tenant: TenantId): Promise<number> =>
  rows.countDocuments({ tenant_id: tenant, source_system: '_system' });

const contentOf = (tenant: TenantId, ids: readonly string[]): Promise<number> =>
  rows.countDocuments({ tenant_id: tenant, event_id: { $in: [...ids] }, record: { $exists: true } });

describe('a disposal that died between its facts and its rows', () => {
  it('is answered as disposed at once', async () => {
    const { acts, ids } = await crashed();
    expect(await Promise.all(ids.map((id) => acts.stateOf(id)))).toEqual(['DISPOSED', 'DISPOSED', 'DISPOSED']);
    const list = '{ events(limit: 10) { items { event_id } } }';
    expect((await vault.ask('ledger', acts.tenant, list)).events.items).toEqual([]);
    const { candidates, disposed, damaged } = await vault.local.deps.ledgerDisposal.facts(acts.tenant, ids);
    expect([candidates, [...disposed].sort(), damaged]).toEqual([[], [...ids].sort(), []]);
  });

  it('is completed when it is repeated, and appends nothing twice', async () => {
    const { acts, order, ids } = await crashed();
    const before = await entriesOf(acts.tenant);
    await vault.local.deps.ledgerDisposal.dispose(acts.tenant, order);
    await vault.local.deps.ledgerDisposal.dispose(acts.tenant, order);
    expect([await entriesOf(acts.tenant), await contentOf(acts.tenant, ids)]).toEqual([before, 0]);
    expect(await acts.verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it('keeps its own name when another disposal names the same events', async () => {
    const { acts, order, ids } = await crashed();
    await vault.local.deps.ledgerDisposal.dispose(acts.tenant, {
      ...order,
      disposal_id: vault.local.deps.ids.next('disposal'),
    });
    const named = await rows.distinct('disposal_id', { tenant_id: acts.tenant, event_id: { $in: [...ids] } });
    expect([named, await contentOf(acts.tenant, ids)]).toEqual([[order.disposal_id], 0]);
    expect(await Promise.all(ids.map((id) => acts.stateOf(id)))).toEqual(['DISPOSED', 'DISPOSED', 'DISPOSED']);
  });

  it('is completed by the sweep of the facts', async () => {
    const { acts, ids } = await crashed();
    const work = vault.local.jobs.start();
    try {
      const alarms = vault.database.db.collection('alarms');
      const left = async (): Promise<number> => {
        await alarms.updateOne({ name: 'ledger.project-facts' }, { $set: { nextRunAt: new Date(0) } });
        return contentOf(acts.tenant, ids);
      };
      expect(await eventually(left, (count) => count === 0)).toBe(0);
    } finally {
      await work.stop();
    }
    expect(await Promise.all(ids.map((id) => acts.stateOf(id)))).toEqual(['DISPOSED', 'DISPOSED', 'DISPOSED']);
    expect(await acts.verify()).toMatchObject({ valid: true, breaks: [] });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import type { consumeLedger } from '../../../subgraphs/ledger/followers/consume-ledger.js';
import { envelope } from '../../support/envelopes.js';
import { SearchKit } from '../search/search-kit.js';

const kit = new SearchKit();

beforeAll(kit.start);
afterAll(kit.stop);

describe('a consumer of the ledger', () => {
  const places = (rows: readonly LedgerRow[]): string[] => rows.map(({ _id }) => `${_id.source_system}/${_id.seq}`);

  it('receives every row of every chain once, in order', async () => {
    const tenant = kit.newTenant();
    await kit.append(
      tenant,
      Array.from({ length: 40 }, (_, n) => envelope(n, { source_system: `s${n % 3}` })),
    );
    const taken: string[] = [];
    const own = await kit.consumer(
      { take: async ({ tenantId }, rows) => void (tenantId === tenant && taken.push(...places(rows))) },
      'consumer_order',
    );
    await kit.catchUp(own);
    for (const source of ['s0', 's1', 's2']) {
      const seqs = taken.filter((place) => place.startsWith(source)).map((place) => Number(place.split('/')[1]));
      expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
    }
    expect(taken).toHaveLength(40);
    await kit.catchUp(own);
    expect(taken).toHaveLength(40);
    await kit.append(tenant, [envelope('more', { source_system: 's1' })]);
    await kit.catchUp(own);
    expect(taken.at(-1)).toBe('s1/14');
    expect(taken).toHaveLength(41);
    own.close();
  });

  it('continues at its cursor after a failure in any batch', async () => {
    const tenant = kit.newTenant();
    await kit.append(
      tenant,
      Array.from({ length: 30 }, (_, n) => envelope(n)),
    );
    for (let failing = 1; failing <= 5; failing++) {
      const taken: string[] = [];
      let calls = 0;
      const take: Parameters<typeof consumeLedger>[1]['take'] = async ({ tenantId }, rows) => {
        if (tenantId !== tenant) return;
        calls += 1;
        if (calls === failing) throw new Error('a fault of the test');
        taken.push(...places(rows));
      };
      const own = await kit.consumer({ take }, `consumer_fault_${failing}`);
      await kit.catchUp(own);
      expect(taken).toHaveLength((failing - 1) * 7);
      kit.clock.advance(2_000);
      await own.queue.runDue();
      expect(taken).toEqual(Array.from({ length: 30 }, (_, n) => `um-core/${n + 1}`));
      own.close();
    }
  });

  it('receives nothing of chains that it does not want', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1, { source_system: 'wanted' }), envelope(2, { source_system: 'other' })]);
    const taken: string[] = [];
    const own = await kit.consumer(
      {
        wants: (source) => source === 'wanted',
        take: async (_chain, rows) => void taken.push(...places(rows)),
      },
      'consumer_wants',
    );
    own.appended.signal(tenant, 'other', []);
    await kit.catchUp(own);
    expect(taken).toEqual(['wanted/1']);
    own.close();
  });

  it('receives recent rows from memory and reads the others', async () => {
    const tenant = kit.newTenant();
    const taken: LedgerRow[] = [];
    const own = await kit.consumer(
      { take: async ({ tenantId }, rows) => void (tenantId === tenant && taken.push(...rows)) },
      'consumer_at_hand',
    );
    await kit.append(tenant, [envelope(1), envelope(2), envelope(3)]);
    const [, , third] = await kit.rowsOf(tenant);
    if (!third) throw new Error('three rows were appended');
    // Another process has appended the first two.
    own.recent.add(tenant, 'um-core', [third]);
    await kit.catchUp(own);
    expect(places(taken)).toEqual(['um-core/1', 'um-core/2', 'um-core/3']);
    await kit.append(tenant, [envelope(4), envelope(5)]);
    const [fourth, fifth] = (await kit.rowsOf(tenant)).slice(3);
    if (!fourth || !fifth) throw new Error('five rows were appended');
    own.recent.add(tenant, 'um-core', [fourth]);
    await kit.catchUp(own);
    // The fifth was appended by another process: the net finds it.
    await kit.catchUp(own);
    expect(places(taken.slice(3))).toEqual(['um-core/4', 'um-core/5']);
    expect(taken[3]).toBe(fourth);
    own.close();
  });

  it('processes rows that arrive while it works on the chain', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1)]);
    const taken: string[] = [];
    const own = await kit.consumer(
      {
        take: async ({ tenantId }, rows) => {
          if (tenantId !== tenant) return;
          taken.push(...places(rows));
          if (taken.length > 1) return;
          await kit.append(tenant, [envelope(2)]);
          // The row is held: the consumer is notified again until no holder is left.
          own.appended.signal(tenant, 'um-core', []);
        },
      },
      'consumer_meanwhile',
    );
    await kit.catchUp(own);
    await kit.catchUp(own);
    expect(taken).toEqual(['um-core/1', 'um-core/2']);
    own.close();
  });
});

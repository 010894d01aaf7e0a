import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hideFromSearch, indexRows } from '../../../subgraphs/ledger/search/index-events.js';
import { mongoSearchStore, SEARCH } from '../../../subgraphs/ledger/search/model.js';
import { rebuildEventSearch } from '../../../subgraphs/ledger/search/wiring.js';
import { envelope } from '../../support/envelopes.js';
import { SearchKit } from './search-kit.js';

const kit = new SearchKit();

beforeAll(kit.start);
afterAll(kit.stop);

describe('the index of events', () => {
  it('reports that it is behind until the consumer has run', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1), envelope(2)]);
    expect(await kit.search(tenant, 'knee')).toMatchObject({ items: [], freshness: { indexed: 0, behind: 2 } });
    const own = await kit.consumer();
    await kit.catchUp(own);
    kit.ledger.clock.advance(2_000);
    expect(await kit.search(tenant, 'knee')).toMatchObject({ total: 2, freshness: { indexed: 2, behind: 0 } });
    own.close();
  });

  it('is equal when it is built twice or rebuilt', async () => {
    const tenant = kit.newTenant();
    await kit.append(
      tenant,
      Array.from({ length: 20 }, (_, n) => envelope(n, { source_system: `s${n % 2}` })),
    );
    const rows = await kit.rowsOf(tenant);
    await indexRows(kit.indexing(), tenant, rows);
    const once = await kit.indexOf(tenant);
    expect(once).toHaveLength(20);
    await indexRows(kit.indexing(), tenant, rows);
    expect(await kit.indexOf(tenant)).toEqual(once);
    const [first] = once;
    await kit.database.db.collection(SEARCH.name).insertOne({
      ...first,
      _id: { tenant_id: tenant, source_system: 's0', seq: 999 },
      event_id: 'evt_of_nothing',
    } as never);
    const told: unknown[] = [];
    const counts: number[] = [];
    await rebuildEventSearch(kit.rebuilding(), {
      report: (chain) => told.push(chain),
      indexed: (events) => counts.push(events),
    });
    // The count continues over the chains.
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBeGreaterThanOrEqual(10);
    expect(await kit.indexOf(tenant)).toEqual(once);
    expect(told).toContainEqual({ tenantId: tenant, sourceSystem: 's0', events: 10 });
    expect(await kit.cursors().doneUpTo({ tenantId: tenant, sourceSystem: 's0' })).toBe(10);
  });

  it('is finished by the consumer if a rebuild stops early', async () => {
    const tenant = kit.newTenant();
    await kit.append(
      tenant,
      Array.from({ length: 9 }, (_, n) => envelope(n)),
    );
    const own = await kit.consumer();
    await kit.catchUp(own);
    const whole = await kit.indexOf(tenant);
    const chain = { tenantId: tenant, sourceSystem: 'um-core' };
    await kit.cursors().reset(chain, kit.clock.nowMs());
    await mongoSearchStore(kit.database.db)(tenant).clear('um-core');
    await own.queue.runDue();
    expect(await kit.indexOf(tenant)).toEqual(whole);
    own.close();
  });

  it('shows no hidden text, by any word, in any member, even after a rebuild', async () => {
    const tenant = kit.newTenant();
    const [id = ''] = await kit.append(tenant, [
      envelope('secret', {
        payload: { rationale: 'zebra crossing', note: 'visible', deep: { a: ['zebra', 'giraffe'] } },
      }),
    ]);
    const [row] = await kit.rowsOf(tenant);
    if (!row) throw new Error('no row');
    await indexRows(kit.indexing(), tenant, [row]);
    expect((await kit.search(tenant, 'zebra')).total).toBe(1);
    await hideFromSearch(kit.indexing(), tenant, {
      event_id: id,
      place: row._id,
      pointers: ['/payload/rationale', '/payload/deep/a', '/member_id'],
    });
    const stays = async (): Promise<void> => {
      for (const word of ['zebra', 'crossing', 'giraffe', 'M-secret'])
        expect((await kit.search(tenant, word)).total).toBe(0);
      const { items } = await kit.search(tenant, 'visible');
      expect(items).toMatchObject([{ id, member_id: null }]);
      expect(JSON.stringify(items)).not.toMatch(/zebra|giraffe|M-secret/);
      expect(JSON.stringify(await kit.indexOf(tenant))).not.toMatch(/zebra|giraff|msecret|M-secret/);
    };
    await stays();
    await rebuildEventSearch(kit.rebuilding(), { report: () => {}, indexed: () => {} });
    await stays();
    await hideFromSearch(kit.indexing(), tenant, { event_id: id, place: row._id, pointers: [''] });
    expect((await kit.search(tenant, 'visible')).total).toBe(0);
    expect(await kit.indexOf(tenant)).toEqual([]);
  });

  it('drops a row that was built before a redaction and written after it', async () => {
    const tenant = kit.newTenant();
    const [id = ''] = await kit.append(tenant, [envelope(1, { payload: { rationale: 'zebra' } })]);
    const [row] = await kit.rowsOf(tenant);
    if (!row) throw new Error('no row');
    const store = mongoSearchStore(kit.database.db);
    // The consumer has read the hidden fields (none) when the whole redaction arrives in between.
    const late = (tenantId: string) => {
      const own = store(tenantId);
      let looks = 0;
      return new Proxy(own, {
        get: (target, name) => {
          if (name !== 'hiddenOf') return (target[name as never] as (...args: unknown[]) => unknown).bind(target);
          return async (ids: readonly string[]) => {
            const hidden = await target.hiddenOf(ids);
            looks += 1;
            if (looks === 1)
              await hideFromSearch(kit.indexing(), tenant, { event_id: id, place: row._id, pointers: [''] });
            return hidden;
          };
        },
      });
    };
    await indexRows({ ...kit.indexing(), search: late }, tenant, [row]);
    expect(await kit.indexOf(tenant)).toEqual([]);
  });

  it('removes a disposed record for good', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1), envelope(2)]);
    const [row, other] = await kit.rowsOf(tenant);
    if (!row || !other) throw new Error('no rows');
    await indexRows(kit.indexing(), tenant, [row, other]);
    await kit.dispose(tenant, row);
    expect((await kit.search(tenant, 'knee')).items).toMatchObject([{ id: other.event_id }]);
    expect((await kit.search(tenant, 'knee')).total).toBe(1);
    // A consumer that read the row before, and comes late.
    kit.clock.advance(7_200_000);
    await indexRows(kit.indexing(), tenant, [row]);
    expect((await kit.search(tenant, 'knee')).total).toBe(1);
  });

  it('never shows an altered record', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1)]);
    const [row] = await kit.rowsOf(tenant);
    if (!row?.record) throw new Error('no row');
    await indexRows(kit.indexing(), tenant, [row]);
    const record = Buffer.from(row.record.toString().replace('knee', 'hip!'));
    await kit.database.db.collection('ledger').updateOne({ _id: row._id } as never, { $set: { record } });
    await expect(kit.search(tenant, 'mri')).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    // Read again it is found by nothing, and holds up no other.
    await kit.append(tenant, [envelope(2)]);
    await indexRows(kit.indexing(), tenant, await kit.rowsOf(tenant));
    expect(await kit.search(tenant, 'mri')).toMatchObject({ total: 1, items: [{ source_record_id: 'PA-2' }] });
    expect(kit.log.lines.join('')).toContain(`"event_id":"${row.event_id}"`);
  });

  it('writes no text and no query into a log', async () => {
    const tenant = kit.newTenant();
    await kit.append(tenant, [envelope(1, { payload: { rationale: 'okapi' } })]);
    await indexRows(kit.indexing(), tenant, await kit.rowsOf(tenant));
    await kit.search(tenant, 'okapi');
    await expect(kit.search(tenant, '-okapi')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect([...kit.log.lines, ...kit.ledger.logLines].join('')).not.toContain('okapi');
  });

  it('shows nothing of another tenant', async () => {
    const [a, b] = [kit.newTenant(), kit.newTenant()];
    await kit.append(a, [envelope(1, { payload: { rationale: 'zebra' } })]);
    await kit.append(b, [envelope(1, { payload: { rationale: 'giraffe' } })]);
    for (const tenant of [a, b]) await indexRows(kit.indexing(), tenant, await kit.rowsOf(tenant));
    expect((await kit.search(b, 'zebra')).total).toBe(0);
    expect((await kit.search(b, 'giraffe')).total).toBe(1);
    const [foreign] = await kit.rowsOf(a);
    await kit
      .indexing()
      .search(b)
      .remove(foreign ? [foreign._id] : []);
    expect((await kit.search(a, 'zebra')).total).toBe(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import { searchRowOf } from '../../../subgraphs/ledger/search/domain/row.js';
import { indexRows } from '../../../subgraphs/ledger/search/index-events.js';
import { mongoSearchStore } from '../../../subgraphs/ledger/search/model.js';
import { envelope } from '../../support/envelopes.js';
import { seeded } from '../../support/random.js';
import { SearchKit } from './search-kit.js';

const kit = new SearchKit();

beforeAll(kit.start);
afterAll(kit.stop);

describe('the hits of a search', () => {
  it('equal those of a plain scan of every event', async () => {
    const tenant = kit.newTenant();
    const random = seeded(23);
    const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const vocabulary = ['alpha', 'beta', 'gamma', 'delta', 'M25.561', 'CO-50', 'J45', 'omega'];
    const text = (): string => Array.from({ length: 1 + Math.floor(random() * 6) }, () => one(vocabulary)).join(' ');
    const events = Array.from({ length: 150 }, (_, n) =>
      envelope(n, { outcome: one(['PAID', 'DENIED']), payload: { rationale: text(), note: text() } }),
    );
    await kit.append(tenant, events);
    await indexRows(kit.indexing(), tenant, await kit.rowsOf(tenant));
    // The texts are plain words parted by spaces, so that a look at them needs none of the service's reading.
    const textsOf = (event: Record<string, unknown>): string[] => {
      const { rationale, note } = event['payload'] as { rationale: string; note: string };
      return [rationale, note].map((whole) => ` ${whole.toLowerCase()} `);
    };
    const holds = (event: Record<string, unknown>, part: string): boolean => {
      const phrase = part.replaceAll('"', '').toLowerCase();
      if (phrase.endsWith('*')) return textsOf(event).some((whole) => whole.includes(` ${phrase.slice(0, -1)}`));
      return textsOf(event).some((whole) => whole.includes(` ${phrase} `));
    };
    const part = (): string => {
      const kind = random();
      if (kind < 0.25) return `"${one(vocabulary.slice(0, 4))} ${one(vocabulary.slice(0, 4))}"`;
      return kind < 0.35 ? 'ga*' : one(vocabulary);
    };
    for (let round = 0; round < 120; round++) {
      const all = Array.from({ length: 1 + Math.floor(random() * 2) }, part);
      const none = random() < 0.5 ? [part()] : [];
      const outcome = random() < 0.3 ? one(['paid', 'denied']) : undefined;
      const expected = events.filter(
        (event) =>
          all.every((wanted) => holds(event, wanted)) &&
          !none.some((unwanted) => holds(event, unwanted)) &&
          (outcome === undefined || String(event['outcome']).toLowerCase() === outcome),
      );
      const query = [...all, ...none.map((unwanted) => `-${unwanted}`)].join(' ');
      const found = await kit.search(tenant, query, { limit: 500, ...(outcome === undefined ? {} : { outcome }) });
      const ids = found.items.map((item: { source_record_id: string }) => item.source_record_id).sort();
      expect([query, ids]).toEqual([query, expected.map((event) => event['source_record_id']).sort()]);
      expect(found.total).toBe(expected.length);
    }
  });

  it('cover the newest of very many and report that; a rare part with a common one reaches all of them', async () => {
    const tenant = kit.newTenant();
    const MANY = 5_300;
    const DAY_MS = 86_400_000;
    const [model] = await (async () => {
      await kit.append(tenant, [envelope('model', { payload: { rationale: 'common' } })]);
      return kit.rowsOf(tenant);
    })();
    if (!model) throw new Error('no row');
    const record = (n: number) =>
      Buffer.from(JSON.stringify({ payload: { rationale: `common ${n === 0 ? 'rarest' : ''}` } }));
    const rows = Array.from(
      { length: MANY },
      (_, n): LedgerRow => ({
        ...model,
        _id: { tenant_id: tenant, source_system: 'many', seq: n + 1 },
        source_system: 'many',
        event_id: `evt_${n}`,
        record: record(n),
        worm_sha256: sha256Hex(record(n)),
        query: {
          effective_at: new Date(Date.UTC(2010, 0, 1) + n * DAY_MS),
          event_family: 'f',
          event_type: 't',
        },
      }),
    );
    const store = mongoSearchStore(kit.database.db)(tenant);
    await store.put(rows.flatMap((row) => searchRowOf(row) ?? []));
    const common = await kit.search(tenant, 'common', { limit: 1 });
    expect(common).toMatchObject({ total: 5_000, truncated: true });
    expect(await kit.search(tenant, 'common rarest')).toMatchObject({ total: 1, truncated: false });
    expect(await kit.search(tenant, 'comm*')).toMatchObject({ total: 5_000, truncated: true });
    expect(await kit.search(tenant, 'common', { from: '2024-01-01T00:00:00Z' })).toMatchObject({
      total: MANY - (Date.UTC(2024, 0, 1) - Date.UTC(2010, 0, 1)) / DAY_MS,
    });
    const oldest = new Date(Date.UTC(2010, 0, 1) + (MANY - 5_000) * DAY_MS).toISOString().slice(0, 7);
    const { candidates, floorMs } = await store.look({
      space: '',
      lead: { kind: 'term', term: 'common' },
      all: [],
      none: [],
      allPrefixes: [],
      nonePrefixes: [],
      fromMs: undefined,
      toMs: undefined,
      weighed: ['common'],
      withWords: false,
      limit: 5_000,
      mayBeCut: true,
    });
    expect(new Date(floorMs ?? 0).toISOString().slice(0, 7)).toBe(oldest);
    expect(Math.min(...candidates.map(({ effective_at }) => effective_at.getTime()))).toBe(floorMs);
  });
});

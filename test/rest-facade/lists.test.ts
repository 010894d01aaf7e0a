import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import type { Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { sealed } from '../bundles/bundles-kit.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
import { connectorOf, decisionOf, feedOf, holdOf, redactionOf } from '../support/records.js';
import { programOf, uploadScanned } from '../vault/vault-kit.js';
import { type EdgeKit, edgeKit } from './edge-kit.js';

// The rules of every list (pages, filters, order), over every list route that the table has: a new list is a case here
// by being a route, and is seeded here or fails.

const contract = await readContract(repositoryFile('rest-facade/contract.json'));
const LISTS = makeRoutes(contract.document).filter(
  (route) => route.method === 'GET' && route.query !== undefined && Object.hasOwn(route.query, 'cursor'),
);

/** A tenant, seen by a key of it that may do everything. */
interface Plan {
  readonly tenantId: string;
  readonly http: Http;
}

/** Makes one more item of a list. */
type Seed = (plan: Plan, operator: Http, n: number) => Promise<unknown>;

const SEEDS: Readonly<Record<string, Seed>> = {
  '/v1/events': ({ http }, _operator, n) => {
    const event_effective_timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    return http.post('/v1/events', envelope(n, { event_effective_timestamp }));
  },
  '/v1/tenants': (_plan, operator, n) => freshTenant(operator).then(() => n),
  '/v1/api-keys': ({ http }, _operator, n) => http.post('/v1/api-keys', { name: `key ${n}`, scopes: ['events:read'] }),
  '/v1/saved-views': ({ http }, _operator, n) =>
    http.post('/v1/saved-views', { name: `view ${n}`, address: '/events' }),
  '/v1/sessions': ({ http }) => http.post('/v1/session', {}, { origin: http.url }),
  '/v1/actors': ({ http }, _operator, n) => http.post('/v1/actors', { name: `Actor ${n}` }),
  '/v1/roles': ({ http }, _operator, n) => http.post('/v1/roles', { name: `role-${n}`, scopes: ['events:read'] }),
  '/v1/signing-keys': ({ http }) => http.post('/v1/signing-keys', { purpose: 'BUNDLE', algorithm: 'Ed25519' }),
  '/v1/members': ({ http }, _operator, n) =>
    http.post('/v1/members', { member_id: `M-${n}`, name: { family: `Listson ${n}` } }),
  '/v1/leads': ({ http }, _operator, n) => {
    const contact = { name: `Person ${n}`, email: `person-${n}@example.test` };
    const about = { lead_type: 'APPEAL_HELP', source: 'web-form', consent_to_contact: true };
    return http.post('/v1/leads', { ...about, contact, summary: `Asks how to appeal (${n}).` });
  },
  '/v1/feature-flags': ({ http }, _operator, n) => {
    const body = { type: 'boolean', variants: { on: true, off: false }, default_variant: 'off' };
    return http.call(`/v1/feature-flags/flag-${n}`, { method: 'PUT', body });
  },
  '/v1/custody': ({ http }, _operator, n) =>
    http.post('/v1/custody', { action: 'NOTED', subject: { kind: 'MEMBER', id: 'M-1' }, purpose: `note ${n}` }),
  // Two statements of one fact that differ are a conflict.
  '/v1/exceptions': async ({ http }, _operator, n) => {
    await http.post('/v1/events', envelope(`conflict-${n}`, { outcome: 'APPROVED' }));
    return http.post('/v1/events', envelope(`conflict-${n}`, { outcome: 'DENIED' }));
  },
  '/v1/source-feeds': ({ http }, _operator, n) => http.post('/v1/source-feeds', feedOf(`feed-${n}`)),
  '/v1/connectors': ({ http }, _operator, n) => http.post('/v1/connectors', connectorOf(`system-${n}`)),
  '/v1/ai-decisions': ({ http }, _operator, n) => http.post('/v1/ai-decisions', decisionOf(`because ${n}`)),
  '/v1/documents': ({ http }, _operator, n) => uploadScanned(http, `letter ${n}`),
  '/v1/quarantine': ({ http }, _operator, n) => uploadScanned(http, { bytes: programOf(n) }),
  '/v1/bundles': ({ http }, _operator, n) => sealed(http, { scope: { member_id: `M-${n}` } }).then(() => n),
  '/v1/appointments': ({ http }, _operator, n) => {
    const at = (minutes: number) => new Date(Date.UTC(2026, 3, 1) + minutes * 60_000).toISOString();
    return http.post('/v1/appointments', { member_id: `M-${n}`, start: at(30 * n), end: at(30 * n + 30) });
  },
  '/v1/care-team': ({ http }, _operator, n) =>
    http.post('/v1/care-team', { member_id: `M-${n}`, role: 'PRIMARY_CARE', npi: '1234567893' }),
  '/v1/consent': ({ http }, _operator, n) =>
    http.post('/v1/consent', { member_id: `M-${n}`, decision: 'DENY', purpose: 'MARKETING' }),
  '/v1/data-rights': async ({ http }) => {
    await http.post('/v1/events', envelope('rights'));
    return http.post('/v1/data-rights', { member_id: 'M-rights', right: 'ACCESS' });
  },
  '/v1/legal-matters': ({ http }, _operator, n) =>
    http.post('/v1/legal-matters', { name: `matter ${n}`, kind: 'LITIGATION' }),
  '/v1/legal-holds': ({ http }, _operator, n) => http.post('/v1/legal-holds', holdOf(`hold ${n}`)),
  '/v1/redactions': async ({ http }, _operator, n) => {
    const { event_id: id } = (await http.post('/v1/events', envelope(`redacted-${n}`))).json;
    return http.post('/v1/redactions', redactionOf({ kind: 'EVENT', id }));
  },
  '/v1/webhooks': ({ http }, _operator, n) =>
    http.post('/v1/webhooks', { url: `https://receiver.invalid/${n}`, event_types: ['legal-hold.created'] }),
};

/** Lists with items that one request cannot create. The suites of their areas test their rules. */
const SEEDED_ELSEWHERE: ReadonlySet<string> = new Set([
  '/v1/bundles/{id}/links',
  // A key with an actor reads its own notices.
  '/v1/hold-notices',
  '/v1/legal-holds/{id}/notices',
  '/v1/ai-decisions/export',
  '/v1/data-rights/{id}/disclosures',
  '/v1/graph/neighbors',
  '/v1/ingest/{ingest_id}/results',
  '/v1/ledger/checkpoints',
  '/v1/legal-holds/{id}/tombstones',
  '/v1/rules',
  '/v1/rules/{id}/revisions',
  '/v1/members/{id}/history',
  '/v1/members/{id}/timeline',
  '/v1/webhooks/{id}/deliveries',
]);

/** The chain of custody is read as it happened; all other lists begin with the newest. */
const OLDEST_FIRST: ReadonlySet<string> = new Set(['/v1/custody']);
const otherWay = (path: string): string => (OLDEST_FIRST.has(path) ? 'desc' : 'asc');

let kit: EdgeKit;
let operator: Http;
let plan: Plan;
let other: Plan;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  plan = await freshTenant(operator, ['admin']);
  other = await freshTenant(operator, ['admin']);
});
afterAll(() => kit.stop());

/** The tenants are the operator's to list; all other lists are the tenant's own. */
const readerOf = (route: Route, of: Plan = plan): Http => (route.path === '/v1/tenants' ? operator : of.http);

interface Item {
  readonly [name: string]: unknown;
}

/** Items without members that change later: an event's place in the tree, and the time of a hold's last list. */
const steady = (items: readonly Item[]): Item[] =>
  items.map(({ tree_index: _place, listed_at: _listed, ...rest }) => rest);

/** All items from a cursor on; from the beginning without one. */
const walk = async (http: Http, path: string, from = ''): Promise<Item[]> => {
  const items: Item[] = [];
  for (let cursor: string | null = from; cursor !== null; ) {
    const page = await http.get(`${path}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    if (page.status !== 200) throw new Error(page.text);
    items.push(...(page.json.items as Item[]));
    cursor = page.json.next_cursor as string | null;
  }
  return items;
};

it('covers every list of the route table', () => {
  const cases = [...Object.keys(SEEDS), ...SEEDED_ELSEWHERE].sort();
  expect(LISTS.map(({ path }) => path).sort()).toEqual(cases);
});

describe.each(LISTS.filter(({ path }) => Object.hasOwn(SEEDS, path)).map((route) => [route.path, route] as const))(
  'GET %s',
  (path, route) => {
    const items = 5;

    beforeAll(async () => {
      for (let n = 0; n < items; n++) {
        const made = await SEEDS[path]?.(plan, operator, n);
        const { status = 200, text = '' } = (made ?? {}) as { status?: number; text?: string };
        if (status >= 300) throw new Error(text);
      }
    });

    it.each(['0', '501', '-1', 'ten', '1.5', ''])('rejects limit=%s', async (limit) => {
      const answer = await readerOf(route).get(`${path}?limit=${limit}`);
      expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', errors: [{ path: '/limit' }] } });
    });

    it('accepts limits from 1 to 500', async () => {
      const one = await readerOf(route).get(`${path}?limit=1`);
      expect(one.json.items).toHaveLength(1);
      expect(typeof one.json.next_cursor).toBe('string');
      expect((await readerOf(route).get(`${path}?limit=500`)).json.items.length).toBeGreaterThanOrEqual(items);
    });

    it('rejects a range that ends before it starts', async () => {
      if (!Object.hasOwn(route.query ?? {}, 'from')) return;
      const range = 'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z';
      const answer = await readerOf(route).get(`${path}?${range}`);
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: '/from', code: 'order' }] } });
    });

    it('rejects an unknown or repeated parameter by its name', async () => {
      for (const query of ['nonsense=1', 'limit=1&limit=2']) {
        const answer = await readerOf(route).get(`${path}?${query}`);
        const [name] = query.split('=');
        expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: `/${name}` }] } });
      }
    });

    it('returns every item once over its pages, in either order', async () => {
      const reader = readerOf(route);
      const whole = steady((await reader.get(`${path}?limit=500`)).json.items as Item[]);
      expect(steady(await walk(reader, `${path}?limit=2`))).toEqual(whole);
      if (!Object.hasOwn(route.query ?? {}, 'order')) return;
      expect(steady(await walk(reader, `${path}?limit=2&order=${otherWay(path)}`))).toEqual([...whole].reverse());
      expect((await reader.get(`${path}?order=sideways`)).status).toBe(400);
    });

    it('rejects a cursor of another order or filter', async () => {
      if (!Object.hasOwn(route.query ?? {}, 'order')) return;
      const reader = readerOf(route);
      const order = `order=${otherWay(path)}`;
      const { next_cursor } = (await reader.get(`${path}?limit=1&${order}`)).json as { next_cursor: string };
      const cursor = encodeURIComponent(next_cursor);
      expect((await reader.get(`${path}?${order}&limit=2&cursor=${cursor}`)).status).toBe(200);
      expect((await reader.get(`${path}?cursor=${cursor}`)).status).toBe(400);
      expect((await reader.get(`${path}?${order}&to=2999-01-01T00:00:00Z&cursor=${cursor}`)).status).toBe(400);
    });

    it('continues a page at its cursor, whatever was added since', async () => {
      const reader = readerOf(route);
      const before = (await reader.get(`${path}?limit=500`)).json.items as Item[];
      const first = (await reader.get(`${path}?limit=2`)).json as { items: Item[]; next_cursor: string };
      await SEEDS[path]?.(plan, operator, 1_000);
      const rest = await walk(reader, `${path}?limit=2`, first.next_cursor);
      expect(steady([...first.items, ...rest]).slice(0, before.length)).toEqual(steady(before));
    });

    it('rejects an invalid cursor', async () => {
      const foreignPath = path === '/v1/events' ? '/v1/api-keys' : '/v1/events';
      await SEEDS[foreignPath]?.(plan, operator, 2_000);
      await SEEDS[foreignPath]?.(plan, operator, 2_001);
      const { next_cursor } = (await plan.http.get(`${foreignPath}?limit=1`)).json as { next_cursor: string };
      expect(typeof next_cursor).toBe('string');
      for (const cursor of ['nonsense', '', 'e30', next_cursor]) {
        const answer = await readerOf(route).get(`${path}?cursor=${encodeURIComponent(cursor)}`);
        expect({ cursor, status: answer.status }).toEqual({ cursor, status: 400 });
      }
    });

    it("returns nothing to another tenant's key, and rejects its cursor", async () => {
      if (path === '/v1/tenants') return;
      const { next_cursor } = (await plan.http.get(`${path}?limit=1`)).json as { next_cursor: string };
      const answer = await other.http.get(`${path}?cursor=${encodeURIComponent(next_cursor)}`);
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: '/cursor' }] } });
    });
  },
);

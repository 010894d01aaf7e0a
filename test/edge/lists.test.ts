import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import type { Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
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
  '/v1/actors': ({ http }, _operator, n) => http.post('/v1/actors', { name: `Actor ${n}` }),
  '/v1/roles': ({ http }, _operator, n) => http.post('/v1/roles', { name: `role-${n}`, scopes: ['events:read'] }),
  '/v1/signing-keys': ({ http }) => http.post('/v1/signing-keys', { purpose: 'BUNDLE', algorithm: 'Ed25519' }),
  '/v1/leads': ({ http }, _operator, n) => {
    const contact = { name: `Person ${n}`, email: `person-${n}@example.test` };
    const about = { lead_type: 'APPEAL_HELP', source: 'web-form', consent_to_contact: true };
    return http.post('/v1/leads', { ...about, contact, summary: `Asks how to appeal (${n}).` });
  },
  '/v1/feature-flags': ({ http }, _operator, n) => {
    const body = { type: 'boolean', variants: { on: true, off: false }, default_variant: 'off' };
    return http.call(`/v1/feature-flags/flag-${n}`, { method: 'PUT', body });
  },
};

/** Lists whose items come by other ways than one request each; their rules are proven where they are made. */
const SEEDED_ELSEWHERE: ReadonlySet<string> = new Set(['/v1/ingest/{ingest_id}/results']);

let kit: EdgeKit;
let operator: Http;
let plan: Plan;
let other: Plan;

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  plan = await freshTenant(operator, ['admin']);
  other = await freshTenant(operator, ['admin']);
}, 120_000);
afterAll(() => kit.stop());

/** The tenants are the operator's to list; all other lists are the tenant's own. */
const readerOf = (route: Route, of: Plan = plan): Http => (route.path === '/v1/tenants' ? operator : of.http);

interface Item {
  readonly [name: string]: unknown;
}

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

test('every list of the route table has its case', () => {
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
    }, 60_000);

    test.each(['0', '501', '-1', 'ten', '1.5', ''])('refuses limit=%s', async (limit) => {
      const answer = await readerOf(route).get(`${path}?limit=${limit}`);
      expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', errors: [{ path: '/limit' }] } });
    });

    test('takes limits from 1 to 500', async () => {
      const one = await readerOf(route).get(`${path}?limit=1`);
      expect(one.json.items).toHaveLength(1);
      expect(typeof one.json.next_cursor).toBe('string');
      expect((await readerOf(route).get(`${path}?limit=500`)).json.items.length).toBeGreaterThanOrEqual(items);
    });

    test('refuses an unknown or repeated parameter by its name', async () => {
      for (const query of ['nonsense=1', 'limit=1&limit=2']) {
        const answer = await readerOf(route).get(`${path}?${query}`);
        const [name] = query.split('=');
        expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: `/${name}` }] } });
      }
    });

    test('pages show every item once, in one order, and the other way round with order=asc', async () => {
      const reader = readerOf(route);
      const whole = (await reader.get(`${path}?limit=500`)).json.items as Item[];
      expect(await walk(reader, `${path}?limit=2`)).toEqual(whole);
      if (!Object.hasOwn(route.query ?? {}, 'order')) return;
      expect(await walk(reader, `${path}?limit=2&order=asc`)).toEqual([...whole].reverse());
      expect((await reader.get(`${path}?order=sideways`)).status).toBe(400);
    });

    test('a page goes on where it ended, whatever comes in meanwhile', async () => {
      const reader = readerOf(route);
      const before = (await reader.get(`${path}?limit=500`)).json.items as Item[];
      const first = (await reader.get(`${path}?limit=2`)).json as { items: Item[]; next_cursor: string };
      await SEEDS[path]?.(plan, operator, 1_000);
      const rest = await walk(reader, `${path}?limit=2`, first.next_cursor);
      expect([...first.items, ...rest].slice(0, before.length)).toEqual(before);
    });

    test('refuses what is no cursor of this list', async () => {
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

    test("shows nothing of this tenant's under another's key, and refuses its cursor", async () => {
      if (path === '/v1/tenants') return;
      const { next_cursor } = (await plan.http.get(`${path}?limit=1`)).json as { next_cursor: string };
      const answer = await other.http.get(`${path}?cursor=${encodeURIComponent(next_cursor)}`);
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: '/cursor' }] } });
    });
  },
);

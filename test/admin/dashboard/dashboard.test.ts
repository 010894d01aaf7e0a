import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const SCOPES = ['admin'];

let service: WholeService;
let http: Http;
let events: Record<string, unknown>[];

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-02-20T00:00:00.000Z');

/** 2,600 events over 30 days in three systems: enough for two blocks, and unfinished ends. */
function makeEvents(): Record<string, unknown>[] {
  const random = seeded(11);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: 2_600 }, (_, n) =>
    envelope(n, {
      event_family: one(['claim', 'Remittance']),
      event_type: one(['submitted', 'paid', 'denied']),
      outcome: one(['PAID', 'Denied', undefined]),
      source_system: n < 2_200 ? 'claims' : one(['um', 'pharmacy']),
      event_effective_timestamp: new Date(START_MS + Math.floor(random() * 30 * DAY_MS)).toISOString(),
      payload: {},
    }),
  );
}

beforeAll(async () => {
  service = await startWholeService();
  ({ http } = await freshTenant(service.operator, SCOPES));
  events = makeEvents();
  for (let from = 0; from < events.length; from += 500) {
    const answer = await http.post('/v1/events', { events: events.slice(from, from + 500) });
    expect(answer.json).toMatchObject({ accepted: Math.min(500, events.length - from), rejected: 0 });
  }
}, 180_000);

afterAll(() => service.stop());

/** Computes the same counts from the posted events. */
function recount(fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY) {
  const within = events.filter((event) => {
    const at = Date.parse(String(event['event_effective_timestamp']));
    return fromMs <= at && at < toMs;
  });
  const by = (nameOf: (event: Record<string, unknown>) => string | null): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const event of within) counts[String(nameOf(event))] = (counts[String(nameOf(event))] ?? 0) + 1;
    return counts;
  };
  const lower = (name: string) => by((event) => (event[name] === undefined ? null : String(event[name]).toLowerCase()));
  return {
    total: within.length,
    by_day: by((event) => String(event['event_effective_timestamp']).slice(0, 10)),
    by_family: lower('event_family'),
    by_type: lower('event_type'),
    by_outcome: lower('outcome'),
    by_source_system: lower('source_system'),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const asCounts = (list: any[]): Record<string, number> =>
  Object.fromEntries(list.map((item) => [String(item.date ?? item.name), item.count]));

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const told = ({ total, truncated: _, ...lists }: any) => ({
  total,
  ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, asCounts(list as never)])),
});

describe('GET /v1/dashboard', () => {
  it.each([
    ['everything', {}],
    ['whole days', { from: '2026-02-25T00:00:00Z', to: '2026-03-10T00:00:00Z' }],
    ['days cut on both sides', { from: '2026-02-25T17:30:00Z', to: '2026-03-10T03:15:00Z' }],
    ['from a time on', { from: '2026-03-10T03:15:00.500Z' }],
    ['hours of a day', { from: '2026-03-01T06:00:00Z', to: '2026-03-01T18:00:00Z' }],
    ['nothing at all', { from: '2030-01-01T00:00:00Z' }],
  ])('counts %s like a recount of the sent events', async (_what, window: { from?: string; to?: string }) => {
    const answer = await http.get(`/v1/dashboard?${new URLSearchParams(window)}`);
    expect(answer.status).toBe(200);
    const expected = recount(
      window.from === undefined ? undefined : Date.parse(window.from),
      window.to === undefined ? undefined : Date.parse(window.to),
    );
    expect(told(answer.json.events)).toEqual(expected);
    expect(answer.json.events.truncated).toBe(false);
    // Again, now from what the first read has kept.
    expect((await http.get(`/v1/dashboard?${new URLSearchParams(window)}`)).json.events).toEqual(answer.json.events);
  });

  it('counts an event as soon as it is acknowledged', async () => {
    const { http: own } = await freshTenant(service.operator, SCOPES);
    for (let n = 1; n <= 3; n++) {
      await own.post('/v1/events', envelope(`d${n}`));
      expect((await own.get('/v1/dashboard')).json.events.total).toBe(n);
    }
    await own.post('/v1/events', envelope('d1'));
    expect((await own.get('/v1/dashboard')).json.events.total).toBe(3);
  });

  it('counts raw messages, exceptions, keys, flags and leads', async () => {
    const { http: own, tenantId } = await freshTenant(service.operator, SCOPES);
    const claims = await readFile(repositoryFile('app/demo/files/claims-837p.edi'));
    const ingested = await own.post('/v1/ingest/raw?source_system=claims', claims, {
      'content-type': 'application/edi-x12',
    });
    expect(ingested.status).toBe(200);
    await own.post('/v1/events', envelope(1));
    await own.post('/v1/events', envelope(1, { outcome: 'OTHER' }));
    await own.call('/v1/feature-flags/on', {
      method: 'PUT',
      body: { type: 'boolean', variants: { on: true }, default_variant: 'on' },
    });
    const lead = await own.post('/v1/leads', { lead_type: 'PROSPECT' });
    await own.post(`/v1/leads/${lead.json.lead_id}/contact`, {});
    const spare = await service.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 's', scopes: ['admin'] });
    await service.operator.call(`/v1/api-keys/${spare.json.key_id}`, { method: 'DELETE' });
    const { json } = await own.get('/v1/dashboard');
    expect(json.raw_ingests).toMatchObject({
      total: 1,
      transactions: ingested.json.transactions,
      accepted: ingested.json.accepted,
      rejected: ingested.json.rejected,
    });
    expect(asCounts(json.exceptions.by_kind)['source_record_conflict'.toUpperCase()]).toBe(1);
    expect(asCounts(json.exceptions.by_status)['OPEN']).toBe(json.exceptions.total);
    expect(asCounts(json.api_keys.by_status)).toEqual({ ACTIVE: 1, REVOKED: 1 });
    expect(asCounts(json.feature_flags.by_status)).toEqual({ ENABLED: 1 });
    expect(json.leads).toMatchObject({ total: 1, by_type: [{ name: 'PROSPECT', count: 1 }] });
    expect(asCounts(json.leads.by_status)).toEqual({ CONTACTED: 1 });
    // No count includes the service's own ledger entries.
    expect(json.events.total).toBe(ingested.json.accepted + 2);
    expect(json).not.toHaveProperty('tenants');
  });

  it('returns the number of tenants to an operator', async () => {
    const { tenantId } = await freshTenant(service.operator, SCOPES);
    const { json } = await service.operator.get('/v1/dashboard', { 'x-tenant-id': tenantId });
    const listed = await service.operator.get('/v1/tenants?limit=500');
    expect(json.tenants.total).toBe(listed.json.items.length);
    expect((await service.operator.get('/v1/dashboard')).json.code).toBe('TENANT_REQUIRED');
  });

  it('rejects an empty window, an invalid time and a key without the scope', async () => {
    const refused = await http.get('/v1/dashboard?from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z');
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', errors: [{ path: '/to' }] } });
    expect((await http.get('/v1/dashboard?from=yesterday')).status).toBe(400);
    const { http: writer } = await freshTenant(service.operator, ['events:write']);
    expect((await writer.get('/v1/dashboard')).json.code).toBe('FORBIDDEN');
  });
});

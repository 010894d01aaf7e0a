import { describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { EVENT_KIND_NAMES } from '../../../shared/outbox/event-kinds.js';
import { freshTenant } from '../../support/http.js';
import { patch, serviceWithReceiver, subscribed } from './subscriptions-http.js';

// Subscriptions over HTTP: accepted and rejected requests, and answers.

const { service, address } = serviceWithReceiver();

describe('POST /v1/webhooks', () => {
  it('creates a webhook and returns its secret once', async () => {
    const { http, tenantId, keyId } = await freshTenant(service().operator, ['care-team:read']);
    const { url } = address();
    const body = { tenant_id: tenantId, url, event_types: ['event.ingested', 'bundle.*'], description: 'mine' };
    const made = await http.post('/v1/webhooks', body);
    expect(made.status).toBe(200);
    expect(made.json).toMatchObject({
      tenant_id: tenantId,
      url,
      event_types: ['event.ingested', 'bundle.*'],
      description: 'mine',
      status: 'ACTIVE',
      health: { consecutive_failures: 0, first_failure_at: null, last_success_at: null },
      max_in_flight: 16,
      throttle_per_second: null,
      source_systems: null,
      created_by: keyId,
    });
    expect(made.json.webhook_id).toMatch(/^whk_/);
    expect(made.json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: _, ...shown } = made.json;
    expect((await http.get(`/v1/webhooks/${made.json.webhook_id}`)).json).toEqual(shown);
    expect((await http.get('/v1/webhooks')).json).toEqual({ items: [shown], next_cursor: null });
  });

  it('accepts `events` as an alias of `event_types`', async () => {
    const { http } = await freshTenant(service().operator);
    const { url } = address();
    const alias = await http.post('/v1/webhooks', { url, events: ['*'] });
    expect(alias.json.event_types).toEqual(['*']);
    expect((await http.post('/v1/webhooks', { url, events: ['*'], event_types: ['*'] })).status).toBe(200);
    const differing = await http.post('/v1/webhooks', { url, events: ['*'], event_types: ['bundle.*'] });
    expect(differing.json).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/events' }] });
    const none = await http.post('/v1/webhooks', { url });
    expect(none.json).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/event_types', code: 'required' }] });
  });

  it('rejects each unknown kind with its position', async () => {
    const { http } = await freshTenant(service().operator);
    const types = ['event.ingested', 'event.exploded', 'bundle.*', 'nothing.*'];
    const refused = await http.post('/v1/webhooks', { url: address().url, event_types: types });
    expect(refused.status).toBe(400);
    expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(['/event_types/1', '/event_types/3']);
  });

  it.each([
    ['ftp://receiver.example.com/', 'another scheme'],
    ['https://user:password@receiver.example.com/', 'credentials'],
    ['https://10.1.2.3/', 'a private address'],
    ['https://169.254.169.254/latest/meta-data', 'the metadata address'],
    ['https://[::ffff:10.1.2.3]/', 'a private address in the clothes of IPv6'],
    ['https://167838211/', 'a private address as one number'],
    ['https://0xa.1.2.3/', 'a private address in hexadecimal'],
    ['receiver.example.com', 'no URL'],
  ])('rejects %s: %s', async (url) => {
    const { http } = await freshTenant(service().operator);
    const refused = await http.post('/v1/webhooks', { url, event_types: ['*'] });
    expect(refused.json).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, errors: [{ path: '/url' }] });
  });

  it('creates one webhook for an Idempotency-Key and returns its secret again', async () => {
    const { http } = await freshTenant(service().operator);
    const key = { 'idempotency-key': '01JQ0000000000000000000042' };
    const body = { url: address().url, event_types: ['*'] };
    const [first, second] = [await http.post('/v1/webhooks', body, key), await http.post('/v1/webhooks', body, key)];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await http.get('/v1/webhooks')).json.items).toHaveLength(1);
    expect(await wholeDatabase()).not.toContain(first.json.secret);
  });

  it('requires a key and a tenant', async () => {
    const body = { url: address().url, event_types: ['*'] };
    expect((await service().operator.as(null).post('/v1/webhooks', body)).status).toBe(401);
    expect((await service().operator.post('/v1/webhooks', body)).json.code).toBe('TENANT_REQUIRED');
  });

  it('allows a hundred webhooks, under concurrency too', async () => {
    const { http } = await freshTenant(service().operator);
    const made = [];
    const body = { url: address().url, event_types: ['*'] };
    for (let n = 0; n < 95; n++) made.push(await subscribed(http, address().url));
    const answers = await Promise.all(Array.from({ length: 12 }, () => http.post('/v1/webhooks', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(409)]);
    expect((await http.post('/v1/webhooks', body)).json).toMatchObject({ code: 'CONFLICT', status: 409 });
    await http.call(`/v1/webhooks/${made[0].webhook_id}`, { method: 'DELETE' });
    expect((await http.post('/v1/webhooks', body)).status).toBe(200);
  });
});

/** Every byte of every collection, as text. */
async function wholeDatabase(): Promise<string> {
  const client = await MongoClient.connect(service().databaseUri);
  try {
    const db = client.db('eas');
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    const dumps = [];
    for (const name of names) {
      const rows = await db.collection(name).find({}, { promoteBuffers: true }).toArray();
      const plain = (_: string, value: unknown) =>
        typeof value === 'object' && value !== null && (value as { type?: string }).type === 'Buffer'
          ? Buffer.from((value as { data: number[] }).data).toString('latin1')
          : value;
      dumps.push(JSON.stringify(JSON.parse(JSON.stringify(rows), plain)));
    }
    return dumps.join('\n');
  } finally {
    await client.close();
  }
}

describe('GET /v1/webhooks', () => {
  it("lists the tenant's webhooks in pages, by status and URL", async () => {
    const { http } = await freshTenant(service().operator);
    const made = [];
    for (let n = 0; n < 3; n++) made.push(await subscribed(http, address().url));
    await patch(http, made[1].webhook_id, { status: 'PAUSED' });
    const idsOf = async (query: string) =>
      (await http.get(`/v1/webhooks?${query}`)).json.items.map((one: { webhook_id: string }) => one.webhook_id);
    expect(await idsOf('order=asc')).toEqual(made.map(({ webhook_id }) => webhook_id));
    expect(await idsOf('status=PAUSED')).toEqual([made[1].webhook_id]);
    expect(await idsOf(`url=${encodeURIComponent(made[2].url)}`)).toEqual([made[2].webhook_id]);
    const first = (await http.get('/v1/webhooks?limit=2')).json;
    expect(await idsOf(`limit=2&cursor=${first.next_cursor}`)).toEqual([made[0].webhook_id]);
    expect((await http.get('/v1/webhooks?statuss=PAUSED')).status).toBe(400);
  });

  it('returns 404 for a missing webhook', async () => {
    const { http } = await freshTenant(service().operator);
    for (const id of ['whk_01JQ0000000000000000000009', 'anything']) {
      expect((await http.get(`/v1/webhooks/${id}`)).json.code).toBe('NOT_FOUND');
      expect((await http.get(`/v1/webhooks/${id}/deliveries`)).json.code).toBe('NOT_FOUND');
    }
  });
});

describe('GET /v1/webhooks/event-types', () => {
  it('returns every kind with its schema and an example', async () => {
    const { http } = await freshTenant(service().operator);
    const { items, next_cursor } = (await http.get('/v1/webhooks/event-types')).json;
    expect(next_cursor).toBeNull();
    expect(items.map(({ type }: { type: string }) => type)).toEqual(EVENT_KIND_NAMES);
    for (const { type, schema, example } of items) {
      expect(schema.properties.type.enum).toEqual([type]);
      expect(Object.keys(example.data).sort()).toEqual(Object.keys(schema.properties.data.properties).sort());
    }
  });
});

describe('PATCH /v1/webhooks/{id}', () => {
  it('changes given members, removes null ones, and validates like a creation', async () => {
    const { http } = await freshTenant(service().operator);
    const { webhook_id } = await subscribed(http, address().url, { description: 'x', throttle_per_second: 5 });
    const changed = await patch(http, webhook_id, {
      events: ['bundle.*'],
      description: null,
      throttle_per_second: null,
      source_systems: ['um-1'],
    });
    expect(changed.json).toMatchObject({
      event_types: ['bundle.*'],
      description: null,
      throttle_per_second: null,
      source_systems: ['um-1'],
      revision: 2,
    });
    for (const bad of [
      { url: 'https://10.0.0.1/' },
      { event_types: ['no.such'] },
      { event_types: [] },
      { status: 'SUSPENDED' },
      { max_in_flight: 0 },
      { secret: 'mine' },
    ]) {
      expect((await patch(http, webhook_id, bad)).json.code).toBe('VALIDATION_ERROR');
    }
  });
});

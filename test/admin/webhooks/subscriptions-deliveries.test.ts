import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { envelope } from '../../support/envelopes.js';
import { freshTenant } from '../../support/http.js';
import { delivered, patch, platformEntries, serviceWithReceiver, subscribed, until } from './subscriptions-http.js';

// Subscriptions from the making to the receiver, over HTTP.

const { service, receiver, address } = serviceWithReceiver();

describe('PATCH /v1/webhooks/{id}', () => {
  it('pauses deliveries; events of the pause can be recovered', async () => {
    const { http } = await freshTenant(service().operator);
    const [paused, other] = [address(), address()];
    const { webhook_id } = await subscribed(http, paused.url, { event_types: ['event.ingested'] });
    await subscribed(http, other.url, { event_types: ['event.ingested'] });
    await patch(http, webhook_id, { status: 'PAUSED' });
    const since = new Date(Date.now() - 60_000).toISOString();
    const { event_id } = (await http.post('/v1/events', envelope(1))).json;
    await until(other.requests, (requests) => requests.length === 1);
    expect((await patch(http, webhook_id, { status: 'ACTIVE' })).json.status).toBe('ACTIVE');
    await http.post('/v1/events', envelope(2));
    await until(paused.requests, (requests) => requests.length === 1);
    expect(paused.requests()[0]?.body.toString('utf8')).not.toContain(event_id);
    const span = { since, until: new Date(Date.now() + 150_000).toISOString() };
    await until(
      async () => (await http.get(`/v1/webhooks/${webhook_id}/deliveries?status=DELIVERED`)).json.items,
      (items) => items.length === 1,
    );
    const path = `/v1/webhooks/${webhook_id}/recover`;
    expect((await http.post(path, { ...span, dry_run: true })).json).toMatchObject({ dry_run: true, count: 1 });
    expect((await http.post(path, span)).json).toMatchObject({ dry_run: false, count: 1, continue_from: null });
    await until(paused.requests, (requests) => requests.length === 2);
    expect(paused.requests()[1]?.body.toString('utf8')).toContain(event_id);
  });
});

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  it('returns a new secret, which signs at once together with the former one', async () => {
    const { http } = await freshTenant(service().operator);
    const { url, requests } = address();
    const made = await subscribed(http, url);
    const rotated = (await http.post(`/v1/webhooks/${made.webhook_id}/rotate-secret`, undefined)).json;
    expect(rotated.secret).not.toBe(made.secret);
    expect(rotated.previous_secret_expires_at).not.toBeNull();
    const { delivery_id } = (await http.post(`/v1/webhooks/${made.webhook_id}/test`, {})).json;
    await delivered(http, made.webhook_id, delivery_id);
    const [request] = requests();
    const body = request?.body.toString('utf8') ?? '';
    for (const secret of [rotated.secret, made.secret]) {
      const judge = new Webhook(secret);
      expect(judge.verify(body, request?.headers as Record<string, string>)).toMatchObject({ test: true });
    }
    expect(request?.headers['x-service-signature-previous']).toMatch(/^v1=[0-9a-f]{64}$/);
  });

  it('returns CONFLICT with Retry-After while three former secrets are valid', async () => {
    const { http } = await freshTenant(service().operator);
    const { webhook_id } = await subscribed(http, address().url);
    const rotate = () => http.post(`/v1/webhooks/${webhook_id}/rotate-secret`, undefined);
    for (let n = 0; n < 3; n++) expect((await rotate()).status).toBe(200);
    const refused = await rotate();
    expect(refused.json).toMatchObject({ status: 409, code: 'CONFLICT' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThanOrEqual(900);
  });
});

describe('POST /v1/webhooks/{id}/test', () => {
  it('sends the flagged example of the kind without effect on the health', async () => {
    const { http, tenantId } = await freshTenant(service().operator, ['admin']);
    const { url, requests } = address();
    const made = await subscribed(http, url, { event_types: ['bundle.*'] });
    const sent = await http.post(`/v1/webhooks/${made.webhook_id}/test`, { event_type: 'bundle.sealed' });
    expect(sent.json).toMatchObject({ type: 'bundle.sealed', trigger: 'TEST', webhook_id: made.webhook_id });
    const done = await delivered(http, made.webhook_id, sent.json.delivery_id);
    expect(done).toMatchObject({ status: 'DELIVERED', attempts: [{ status: 200 }] });
    const [request] = requests();
    const body = JSON.parse(request?.body.toString('utf8') ?? '');
    expect(body).toMatchObject({ id: sent.json.message_id, type: 'bundle.sealed', tenant_id: tenantId, test: true });
    expect(done.body).toEqual(body);
    expect(request?.headers['x-service-webhook-id']).toBe(made.webhook_id);
    expect(request?.headers['webhook-id']).toBe(sent.json.message_id);
    expect((await http.get(`/v1/webhooks/${made.webhook_id}`)).json.health.last_success_at).toBeNull();
    const refused = await http.post(`/v1/webhooks/${made.webhook_id}/test`, { event_type: 'event.ingested' });
    expect(refused.json).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ path: '/event_type' }] });
    expect((await platformEntries(http)).map(({ event_type }) => event_type)).toContain('webhook.tested');
  });
});

describe('a delivery', () => {
  it('is listed with its attempts and sent again on request', async () => {
    const { http } = await freshTenant(service().operator, ['admin']);
    const { url, requests } = address();
    const made = await subscribed(http, url, { event_types: ['event.ingested'] });
    const event = (await http.post('/v1/events', envelope(1))).json;
    await until(requests, (all) => all.length >= 1);
    const list = await until(
      async () => (await http.get(`/v1/webhooks/${made.webhook_id}/deliveries?status=DELIVERED`)).json.items,
      (items) => items.length === 1,
    );
    expect(list[0]).toMatchObject({ type: 'event.ingested', trigger: 'SCHEDULED', attempts: [{ status: 200 }] });
    expect(list[0].next_attempt_at).toBeUndefined();
    const one = (await http.get(`/v1/webhooks/${made.webhook_id}/deliveries/${list[0].delivery_id}`)).json;
    expect(one.body.data).toMatchObject({ event_id: event.event_id, sequence: event.sequence });
    const health = (await http.get(`/v1/webhooks/${made.webhook_id}`)).json.health;
    expect(health).toMatchObject({ consecutive_failures: 0, first_failure_at: null });
    expect(health.last_success_at).not.toBeNull();

    const path = `/v1/webhooks/${made.webhook_id}/deliveries/${list[0].delivery_id}/redeliver`;
    const again = (await http.post(path, undefined)).json;
    expect(again).toMatchObject({ trigger: 'REDELIVERY', message_id: list[0].message_id });
    expect(again.delivery_id).not.toBe(list[0].delivery_id);
    await delivered(http, made.webhook_id, again.delivery_id);
    const [first, second] = requests();
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const all = await http.get(`/v1/webhooks/${made.webhook_id}/deliveries?type=event.ingested&trigger=REDELIVERY`);
    expect(all.json.items).toHaveLength(1);
    expect(
      (await platformEntries(http)).find(({ event_type }) => event_type === 'webhook.redelivered')?.payload,
    ).toMatchObject({
      webhook_id: made.webhook_id,
      delivery_id: again.delivery_id,
      former_delivery_id: list[0].delivery_id,
    });
  });

  it('appears in the health after a failure and is recovered once', async () => {
    const { http } = await freshTenant(service().operator, ['admin']);
    const { url, requests } = address();
    const path = new URL(url).pathname;
    const answer = receiver().answer;
    receiver().answer = (response, request) =>
      request.path === path ? void response.writeHead(410).end() : answer(response, request);
    const made = await subscribed(http, url, { event_types: ['event.ingested'] });
    const id = made.webhook_id;
    await http.post('/v1/events', [envelope(1), envelope(2)]);
    // 410: the receiver wants no more, so the service suspends, and says so.
    await until(
      async () => (await http.get(`/v1/webhooks/${id}`)).json,
      ({ status }) => status === 'SUSPENDED',
    );
    const suspended = (await http.get(`/v1/webhooks/${id}`)).json;
    expect(suspended).toMatchObject({ suspension_reason: 'GONE' });
    receiver().answer = answer;
    await patch(http, id, { status: 'ACTIVE' });
    const span = { since: suspended.created_at, until: new Date(Date.now() + 150_000).toISOString() };
    const missed = (await http.post(`/v1/webhooks/${id}/recover`, { ...span, dry_run: true })).json;
    expect(missed).toMatchObject({ webhook_id: id, dry_run: true, continue_from: null });
    expect(missed.count).toBeGreaterThanOrEqual(1);
    const recovered = (await http.post(`/v1/webhooks/${id}/recover`, span)).json;
    expect(recovered).toMatchObject({ dry_run: false, continue_from: null });
    await until(
      async () => (await http.get(`/v1/webhooks/${id}/deliveries?status=DELIVERED`)).json.items,
      (items) => new Set(items.map((one: { message_id: string }) => one.message_id)).size === 2,
    );
    expect((await http.post(`/v1/webhooks/${id}/recover`, { ...span, dry_run: true })).json.count).toBe(0);
    expect(requests().length).toBeGreaterThanOrEqual(3);
  });

  it('is recovered from spans of at most 14 days', async () => {
    const { http } = await freshTenant(service().operator);
    const { webhook_id } = await subscribed(http, address().url);
    const recover = async (body: unknown) => (await http.post(`/v1/webhooks/${webhook_id}/recover`, body)).json;
    const since = '2026-03-01T00:00:00Z';
    expect(await recover({ since, until: since })).toMatchObject({ errors: [{ path: '/until' }] });
    expect(await recover({ since, until: '2026-03-15T00:00:01Z' })).toMatchObject({ errors: [{ path: '/since' }] });
    expect(await recover({ since, until: '2026-03-15T00:00:00Z', event_types: ['no.such'] })).toMatchObject({
      errors: [{ path: '/event_types/0' }],
    });
    expect(await recover({ since, until: '2026-03-15T00:00:00Z' })).toMatchObject({ count: 0, continue_from: null });
  });
});

describe('DELETE /v1/webhooks/{id}', () => {
  it('deletes the webhook: later reads are 404, and nothing more is sent', async () => {
    const { http } = await freshTenant(service().operator, ['admin']);
    const { url, requests } = address();
    const { webhook_id } = await subscribed(http, url, { event_types: ['event.ingested'] });
    const deleted = await http.call(`/v1/webhooks/${webhook_id}`, { method: 'DELETE' });
    expect(deleted).toMatchObject({ status: 200, json: { webhook_id, url } });
    expect((await http.get(`/v1/webhooks/${webhook_id}`)).status).toBe(404);
    expect((await http.get('/v1/webhooks')).json.items).toEqual([]);
    const other = await subscribed(http, address().url, { event_types: ['event.ingested'] });
    await http.post('/v1/events', envelope(1));
    await until(
      async () => (await http.get(`/v1/webhooks/${other.webhook_id}/deliveries`)).json.items,
      (items) => items.length === 1,
    );
    expect(requests()).toEqual([]);
    expect((await platformEntries(http)).map(({ event_type }) => event_type)).toEqual([
      'tenant.created',
      'api-key.created',
      'webhook.created',
      'webhook.deleted',
      'webhook.created',
    ]);
  });
});

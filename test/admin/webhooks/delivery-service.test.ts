import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import type { Http } from '../../support/http.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { OPEN_LOOPBACK } from './delivery-kit.js';

// The whole service with its background work: only requests drive it.

let service: WholeService;
let receiver: Receiver;
let tenants = 0;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startWholeService(OPEN_LOOPBACK), startReceiver()]);
});
afterAll(async () => {
  // First: the service waits for answers that are under way, and here some never come.
  await receiver.close();
  await service.stop();
});

/** A separate tenant, its key, and a webhook with a unique path for its deliveries. */
const subscribed = async (input: Record<string, unknown>) => {
  tenants += 1;
  const tenant_id = `tenant-${tenants}`;
  await service.operator.post('/v1/tenants', { tenant_id, name: 'A Plan' });
  const made = await service.operator.post(
    '/v1/api-keys',
    { name: 'k', scopes: ['events:read', 'events:write'] },
    { 'x-tenant-id': tenant_id },
  );
  const http: Http = service.operator.as(made.json.api_key);
  const path = `/${tenant_id}`;
  const webhook = await http.post('/v1/webhooks', { url: `${receiver.url}${path}`, ...input });
  expect(webhook.status).toBe(200);
  const bodies = () =>
    receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString()));
  return { http, webhook: webhook.json, bodies };
};

const until = async <T>(read: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> => {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (performance.now() > endMs) throw new Error(`not so in time: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe('a posted event', () => {
  it('is sent to a receiver and shown in the delivery log', async () => {
    const { http, webhook, bodies } = await subscribed({ events: ['event.ingested'] });
    const { event_id, entry_hash } = (await http.post('/v1/events', envelope(1))).json;
    const [body] = await until(bodies, (all) => all.length > 0);
    expect(body).toMatchObject({
      type: 'event.ingested',
      data: { event_id, entry_hash, source_system: 'um-core', sequence: 1 },
    });
    // Thin: nothing of the member is in it.
    expect(JSON.stringify(body)).not.toContain('M-1');
    const log = await until(
      async () => (await http.get(`/v1/webhooks/${webhook.webhook_id}/deliveries`)).json.items,
      (items) => items[0]?.status === 'DELIVERED',
    );
    expect(log).toMatchObject([{ message_id: body.id, type: 'event.ingested', attempts: [{ status: 200 }] }]);
  });

  it('raises event.duplicated once for each repeated request, and not event.ingested', async () => {
    const { http, bodies } = await subscribed({ event_types: ['event.*'] });
    const events = [envelope(1), envelope(2), envelope(3)];
    const first = (await http.post('/v1/events', events)).json;
    const ids = first.results.map(({ event_id }: { event_id: string }) => event_id);
    await until(bodies, (all) => all.length === 3);
    const again = await http.post('/v1/events', [...events, events[0], envelope(4)]);
    expect(again.json).toMatchObject({ accepted: 1, duplicated: 4 });
    const all = await until(bodies, (known) => known.length === 5);
    const repeated = all.filter(({ type }) => type === 'event.duplicated');
    expect(repeated).toMatchObject([{ data: { event_ids: ids } }]);
  });

  it('raises event.duplicated for a repeated raw message', async () => {
    const { http, bodies } = await subscribed({ event_types: ['event.duplicated'] });
    const edi = await readFile(new URL('../../../app/demo/files/claims-837p.edi', import.meta.url), 'utf8');
    const post = async () =>
      (await http.post('/v1/ingest/raw?source_system=claims', edi, { 'content-type': 'application/edi-x12' })).json;
    const { accepted } = await post();
    expect(accepted).toBeGreaterThan(0);
    expect(await post()).toMatchObject({ accepted: 0, duplicated: accepted });
    const [body, ...others] = await until(bodies, (all) => all.length > 0);
    expect(body.data.event_ids).toHaveLength(accepted);
    expect(others).toEqual([]);
  });
});

describe('a webhook made after events', () => {
  it('does not receive them', async () => {
    const { http, bodies } = await subscribed({ event_types: ['bundle.sealed'] });
    await http.post('/v1/events', [envelope(1), envelope(2)]);
    const path = '/late';
    await http.post('/v1/webhooks', { url: `${receiver.url}${path}`, event_types: ['event.ingested'] });
    const { event_id } = (await http.post('/v1/events', envelope(3))).json;
    await until(
      () => receiver.received.filter((one) => one.path === path),
      (all) => all.length > 0,
    );
    const late = receiver.received.filter((one) => one.path === path);
    expect(late.map(({ body }) => JSON.parse(body.toString()).data.event_id)).toEqual([event_id]);
    expect(bodies()).toEqual([]);
  });
});

describe('a receiver that never answers', () => {
  it('with many waiting deliveries does not delay another one', async () => {
    receiver.answer = (response, { path }) => {
      if (!path.startsWith('/silent')) response.writeHead(200).end();
    };
    const { http, webhook, bodies } = await subscribed({ event_types: ['event.ingested'] });
    const silent = `${receiver.url}/silent`;
    await http.post('/v1/webhooks', { url: silent, event_types: ['event.ingested'], max_in_flight: 4 });
    await http.post(
      '/v1/events',
      Array.from({ length: 300 }, (_, n) => envelope(n)),
    );
    // All have come to the other, and the mountain still waits: four at once are tried, for ten seconds each.
    await until(bodies, (all) => new Set(all.map(({ id }) => id)).size === 300);
    expect(receiver.received.filter(({ path }) => path === '/silent').length).toBeLessThan(300);
    const { items } = (await http.get(`/v1/webhooks/${webhook.webhook_id}/deliveries?status=FAILED`)).json;
    expect(items).toEqual([]);
    const { text } = await service.operator.get('/metrics');
    expect(text).toMatch(/^eas_webhook_attempts_total\{result="2xx"\} \d+$/m);
  });
});

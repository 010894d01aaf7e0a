import { describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { patch, serviceWithReceiver } from './subscriptions-http.js';

// Every key owns its webhooks; those of others need a scope.

const { service, address } = serviceWithReceiver();

async function keyOf(tenantId: string, body: Record<string, unknown>): Promise<Http> {
  const made = await service().operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'key', ...body });
  if (made.status !== 200) throw new Error(made.text);
  return service().operator.as(made.json.api_key);
}

describe('a webhook', () => {
  it('belongs to the key that made it: other keys neither find, change, delete nor rotate it', async () => {
    const { http: admin, tenantId } = await freshTenant(service().operator, ['admin']);
    const made = await admin.post('/v1/webhooks', { url: address().url, event_types: ['*'] });
    const id: string = made.json.webhook_id;
    const path = `/v1/webhooks/${id}`;
    const other = await keyOf(tenantId, { scopes: ['care-team:read'] });
    const answers = [
      await other.get(path),
      await patch(other, id, { description: 'mine now' }),
      await other.call(path, { method: 'DELETE' }),
      await other.post(`${path}/rotate-secret`, {}),
      await other.post(`${path}/test`, {}),
      await other.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }),
      await other.get(`${path}/deliveries`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect((await other.get('/v1/webhooks')).json.items).toEqual([]);
    expect((await admin.get(path)).json).toMatchObject({ status: 'ACTIVE', revision: 1 });
  });

  it('of any key is managed by that key, and by keys with the scopes', async () => {
    const { http: own, tenantId } = await freshTenant(service().operator, ['care-team:read']);
    const made = await own.post('/v1/webhooks', { url: address().url, event_types: ['*'] });
    const id: string = made.json.webhook_id;
    const path = `/v1/webhooks/${id}`;
    expect((await own.post(`${path}/rotate-secret`, {})).json.secret).toMatch(/^whsec_/);
    const reader = await keyOf(tenantId, { scopes: ['webhooks:read'] });
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.call(path, { method: 'DELETE' })).status).toBe(404);
    const writer = await keyOf(tenantId, { scopes: ['webhooks:write'] });
    expect((await patch(writer, id, { description: 'known' })).status).toBe(200);
    const admin = await keyOf(tenantId, { scopes: ['admin'] });
    expect((await admin.get('/v1/webhooks')).json.items).toHaveLength(1);
    expect((await own.call(path, { method: 'DELETE' })).status).toBe(200);
  });
});

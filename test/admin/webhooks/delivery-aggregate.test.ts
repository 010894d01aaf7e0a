import { describe, expect, it } from '@jest/globals';
import { groupDeliveries } from '../../../subgraphs/admin/webhooks/deliveries/domain/groups.js';
import { graph } from '../../ledger/event-queries/query-kit.js';
import { freshTenant } from '../../support/http.js';
import { delivered, serviceWithReceiver, subscribed } from './subscriptions-http.js';

describe('groupDeliveries', () => {
  const cell = { type: 'bundle.sealed', status: 'DELIVERED', trigger: 'SCHEDULED', day: '2026-03-02' };
  const cells = [
    { ...cell, count: 3, delivered: 3, failed: 0, attempts: 3 },
    { ...cell, status: 'FAILED', count: 1, delivered: 0, failed: 1, attempts: 6 },
    { ...cell, type: 'event.ingested', status: 'PENDING', count: 1, delivered: 0, failed: 0, attempts: 0 },
  ];

  it('adds the deliveries of a group, and measures attempts and the share of delivered ones', () => {
    expect(groupDeliveries(cells, ['type'])).toEqual([
      {
        type: 'bundle.sealed',
        status: null,
        trigger: null,
        day: null,
        count: 4,
        delivered: 3,
        failed: 1,
        attempts_mean: 2.25,
        delivered_rate: 0.75,
      },
      {
        type: 'event.ingested',
        status: null,
        trigger: null,
        day: null,
        count: 1,
        delivered: 0,
        failed: 0,
        attempts_mean: 0,
        delivered_rate: null,
      },
    ]);
  });
});

describe('the field webhookDeliveryAggregate', () => {
  const { service, address } = serviceWithReceiver();
  const QUERY = `query Q($id: String!, $from: String) {
    webhookDeliveryAggregate(webhook_id: $id, by: [TRIGGER, STATUS], from: $from, limit: 20) {
      count truncated items { trigger status type count delivered attempts_mean delivered_rate }
    }
  }`;

  it('counts the deliveries of a webhook that the caller may see, and finds no other webhook', async () => {
    const { http, tenantId } = await freshTenant(service().operator, ['admin']);
    const { webhook_id } = await subscribed(http, address().url);
    for (let n = 0; n < 2; n++) {
      const { delivery_id } = (await http.post(`/v1/webhooks/${webhook_id}/test`, {})).json;
      await delivered(http, webhook_id, delivery_id);
    }
    const ask = async (more: object) =>
      (await graph(http, QUERY, { id: webhook_id, ...more })).webhookDeliveryAggregate;
    const figures = { count: 2, delivered: 2, attempts_mean: 1, delivered_rate: 1 };
    expect(await ask({})).toEqual({
      count: 2,
      truncated: false,
      items: [{ trigger: 'TEST', status: 'DELIVERED', type: null, ...figures }],
    });
    expect(await ask({ from: '2999-01-01T00:00:00Z' })).toEqual({ count: 0, truncated: false, items: [] });

    const { http: other } = await freshTenant(service().operator, ['admin']);
    const { json } = await service().operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'analyst',
      scopes: ['graph:query'],
    });
    for (const stranger of [other, service().operator.as(json.api_key)]) {
      const answer = await stranger.post('/graphql', { query: QUERY, variables: { id: webhook_id } });
      expect(answer.json.errors[0].extensions.code).toBe('NOT_FOUND');
    }
  });
});

import { expect, it } from '@jest/globals';
import { Driver } from '../../contract/driver.js';
import { readDescription } from '../../contract/operations.js';
import { type Answer, freshTenant } from '../../support/http.js';
import { delivered, patch, serviceWithReceiver } from './subscriptions-http.js';

// The contract test makes its data out of schemas and seldom hits a delivery that is there; here each route of the area
// answers a real one, and is judged by the description alone.

const { service, address } = serviceWithReceiver();

it('every route of the area answers 200 as described', async () => {
  const { http, tenantId } = await freshTenant(service().operator);
  const description = readDescription((await http.get('/v1/openapi.json')).json);
  const driver = new Driver(description, http, tenantId);
  const operations = description.operations.filter(({ path }) => path.startsWith('/v1/webhooks'));
  const judged = new Set<string>();
  const judge = (id: string, answer: Answer): Answer => {
    const operation = operations.find(({ operationId }) => operationId === id);
    if (operation === undefined) throw new Error(`the description has no operation ${id}`);
    judged.add(id);
    expect([id, answer.status, driver.judge(operation, answer)]).toEqual([id, 200, []]);
    return answer;
  };
  const body = { url: address().url, event_types: ['*'], source_systems: ['um-core'], throttle_per_second: 9 };
  const { webhook_id } = judge('createWebhook', await http.post('/v1/webhooks', body)).json;
  const at = `/v1/webhooks/${webhook_id}`;
  judge('listWebhooks', await http.get('/v1/webhooks'));
  judge('listWebhookEventTypes', await http.get('/v1/webhooks/event-types'));
  judge('getWebhook', await http.get(at));
  judge('updateWebhook', await patch(http, webhook_id, { description: 'x' }));
  judge('rotateWebhookSecret', await http.post(`${at}/rotate-secret`, undefined));
  const { delivery_id } = judge('testWebhook', await http.post(`${at}/test`, {})).json;
  await delivered(http, webhook_id, delivery_id);
  judge('listWebhookDeliveries', await http.get(`${at}/deliveries`));
  judge('getWebhookDelivery', await http.get(`${at}/deliveries/${delivery_id}`));
  const again = await http.post(`${at}/deliveries/${delivery_id}/redeliver`, undefined);
  judge('redeliverWebhook', again);
  const span = { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' };
  judge('recoverWebhook', await http.post(`${at}/recover`, span));
  judge('deleteWebhook', await http.call(at, { method: 'DELETE' }));
  expect([...judged].sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});

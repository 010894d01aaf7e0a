import { graphRoute } from '../../graph-route.js';

export const getDelivery = graphRoute({
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}',
  area: 'webhooks',
  scope: 'webhooks:read',
  tenant: 'required',
  summary: 'Read one delivery',
  operation: { name: 'GetWebhookDelivery', field: 'webhookDelivery' },
  params: { id: 'webhook_id', delivery_id: 'delivery_id' },
  answer: 'The delivery with its attempts, and the body that it carries.',
});

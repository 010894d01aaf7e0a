import { graphRoute } from '../../graph-route.js';

export const redeliverWebhook = graphRoute({
  method: 'POST',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Send a message once more',
  description: 'A delivery of its own, with six attempts, whatever became of the first one.',
  operation: { name: 'RedeliverWebhook', field: 'redeliverWebhook' },
  params: { id: 'webhook_id', delivery_id: 'delivery_id' },
  body: 'free',
  answer: 'The new delivery, which is on its way.',
});

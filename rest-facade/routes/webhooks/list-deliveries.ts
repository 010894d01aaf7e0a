import { graphRoute } from '../../graph-route.js';

export const listDeliveries = graphRoute({
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  area: 'webhooks',
  scope: 'webhooks:read',
  tenant: 'required',
  summary: 'List deliveries of a webhook',
  description: 'Those that FAILED too. They are kept for 30 days.',
  operation: { name: 'ListWebhookDeliveries', field: 'webhookDeliveries' },
  params: { id: 'webhook_id' },
  answer: 'One page of deliveries with their attempts, newest first unless told.',
});

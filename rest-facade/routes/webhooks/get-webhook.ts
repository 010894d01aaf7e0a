import { graphRoute } from '../../graph-route.js';

export const getWebhook = graphRoute({
  method: 'GET',
  path: '/v1/webhooks/{id}',
  area: 'webhooks',
  scope: 'webhooks:read',
  tenant: 'required',
  summary: 'Read one webhook',
  operation: { name: 'GetWebhook', field: 'webhook' },
  params: { id: 'webhook_id' },
  answer: 'The webhook and how it has fared.',
});

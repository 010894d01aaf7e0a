import { graphRoute } from '../../graph-route.js';

export const deleteWebhook = graphRoute({
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'End a webhook',
  description: 'Its secrets are erased at once, and what waits to be sent is cancelled.',
  operation: { name: 'DeleteWebhook', field: 'deleteWebhook' },
  params: { id: 'webhook_id' },
  answer: 'The webhook as it was.',
});

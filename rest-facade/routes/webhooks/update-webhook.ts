import { graphRoute } from '../../graph-route.js';

export const updateWebhook = graphRoute({
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Change, pause or enable a webhook',
  description: 'Absent stays, null takes away. A suspended webhook is enabled again by the status ACTIVE.',
  operation: { name: 'UpdateWebhook', field: 'updateWebhook' },
  params: { id: 'webhook_id' },
  body: { argument: 'input' },
  bodyExample: { status: 'PAUSED', description: 'Out of service until Monday.' },
  answer: 'The webhook.',
});

import { graphRoute } from '../../graph-route.js';

export const listWebhooks = graphRoute({
  method: 'GET',
  path: '/v1/webhooks',
  area: 'webhooks',
  scope: 'webhooks:read',
  tenant: 'required',
  summary: 'List webhooks',
  operation: { name: 'ListWebhooks', field: 'webhooks' },
  answer: 'One page of webhooks, newest first unless told.',
});

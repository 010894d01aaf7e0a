import { graphRoute } from '../../graph-route.js';

export const listEventTypes = graphRoute({
  method: 'GET',
  path: '/v1/webhooks/event-types',
  area: 'webhooks',
  scope: 'webhooks:read',
  tenant: 'required',
  summary: 'Read the catalogue of event kinds',
  operation: { name: 'ListWebhookEventTypes', field: 'webhookEventTypes' },
  answer: 'Every kind with the JSON Schema of its body and an example.',
});

import { graphRoute } from '../../graph-route.js';

export const testWebhook = graphRoute({
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Send a test to a webhook',
  description: 'The example of the kind, with `test: true` in its body. Health does not count it.',
  operation: { name: 'TestWebhook', field: 'testWebhook' },
  params: { id: 'webhook_id' },
  body: { argument: 'input' },
  bodyOptional: true,
  bodyExample: { event_type: 'event.ingested' },
  answer: 'The delivery, which is on its way.',
});

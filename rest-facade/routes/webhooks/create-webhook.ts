import { graphRoute } from '../../graph-route.js';

export const createWebhook = graphRoute({
  method: 'POST',
  path: '/v1/webhooks',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Subscribe to platform events',
  description:
    '`events` is taken for `event_types`. Deliveries are signed with the secret; docs/webhooks.md shows how to verify them.',
  operation: { name: 'CreateWebhook', field: 'createWebhook' },
  body: { argument: 'input' },
  bodyExample: { url: 'https://receiver.example.com/evidence', event_types: ['event.ingested', 'bundle.*'] },
  secretAnswer: true,
  answer: 'The webhook with its secret, which is shown this once.',
});

import { graphRoute } from '../../graph-route.js';

export const rotateWebhookSecret = graphRoute({
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate-secret',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Rotate the secret of a webhook',
  description:
    'The new secret signs at once; the former one signs beside it for 15 minutes. At most three former ones are valid at a time: 409 beyond.',
  operation: { name: 'RotateWebhookSecret', field: 'rotateWebhookSecret' },
  params: { id: 'webhook_id' },
  body: 'free',
  secretAnswer: true,
  answer: 'The webhook with its new secret, which is shown this once.',
});

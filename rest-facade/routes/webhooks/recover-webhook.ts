import { graphRoute } from '../../graph-route.js';

export const recoverWebhook = graphRoute({
  method: 'POST',
  path: '/v1/webhooks/{id}/recover',
  area: 'webhooks',
  scope: 'webhooks:write',
  tenant: 'required',
  summary: 'Send again what of a span never got through',
  description:
    'What was delivered, or is on its way, is left alone. At most 14 days and 10,000 messages at a time: continue_from tells where to go on. A dry run only counts.',
  operation: { name: 'RecoverWebhook', field: 'recoverWebhook' },
  params: { id: 'webhook_id' },
  body: { argument: 'input' },
  bodyExample: { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z', dry_run: true },
  answer: 'How many messages are, or would be, sent again.',
});

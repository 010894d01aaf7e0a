import { type RouteArea, routeTable } from '../route-table.js';

const WEBHOOKS: RouteArea = { area: 'webhooks', id: 'webhook_id', reads: 'webhooks:own' };

export const webhookRoutes = routeTable(WEBHOOKS, {
  'POST /v1/webhooks': {
    summary: 'Subscribe to platform events',
    description:
      '`events` is an alias of `event_types`. The secret signs deliveries; docs/webhooks.md shows how to verify them.',
    operation: { name: 'CreateWebhook', field: 'createWebhook' },
    bodyExample: { url: 'https://receiver.example.com/evidence', event_types: ['event.ingested', 'bundle.*'] },
    secretAnswer: true,
    answer: 'The webhook with its secret, which only this answer shows.',
  },
  'GET /v1/webhooks': {
    summary: 'List webhooks',
    operation: { name: 'ListWebhooks', field: 'webhooks' },
    answer: 'One page of webhooks, newest first by default.',
  },
  'GET /v1/webhooks/event-types': {
    summary: 'Read the catalogue of event types',
    operation: { name: 'ListWebhookEventTypes', field: 'webhookEventTypes' },
    answer: 'Every kind with the JSON Schema of its body and an example.',
  },
  'GET /v1/webhooks/{id}': {
    summary: 'Read one webhook',
    operation: { name: 'GetWebhook', field: 'webhook' },
    answer: 'The webhook and its health.',
  },
  'PATCH /v1/webhooks/{id}': {
    summary: 'Change, pause or enable a webhook',
    description:
      'Absent members stay; null removes a value. A suspended webhook is enabled again by the status ACTIVE.',
    operation: { name: 'UpdateWebhook', field: 'updateWebhook' },
    bodyExample: { status: 'PAUSED', description: 'Out of service until Monday.' },
    answer: 'The webhook.',
  },
  'DELETE /v1/webhooks/{id}': {
    summary: 'Delete a webhook',
    description: 'Erases its secrets at once and cancels pending deliveries.',
    operation: { name: 'DeleteWebhook', field: 'deleteWebhook' },
    answer: 'The deleted webhook.',
  },
  'POST /v1/webhooks/{id}/rotate-secret': {
    summary: 'Rotate the secret of a webhook',
    description:
      'The new secret signs at once; the old one also signs for 15 minutes. At most three old secrets are valid at a time, else 409.',
    operation: { name: 'RotateWebhookSecret', field: 'rotateWebhookSecret' },
    secretAnswer: true,
    answer: 'The webhook with its new secret, which only this answer shows.',
  },
  'POST /v1/webhooks/{id}/test': {
    summary: 'Send a test message to a webhook',
    description:
      'Sends the example of the kind, with `test: true` in its body. It does not count for the health of the webhook.',
    operation: { name: 'TestWebhook', field: 'testWebhook' },
    bodyOptional: true,
    bodyExample: { event_type: 'event.ingested' },
    answer: 'The pending delivery.',
  },
  'POST /v1/webhooks/{id}/recover': {
    summary: 'Resend undelivered messages of a time span',
    description:
      'Skips delivered and pending messages. At most 14 days and 10,000 messages at a time; continue with continue_from. A dry run only counts.',
    operation: { name: 'RecoverWebhook', field: 'recoverWebhook' },
    bodyExample: { since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z', dry_run: true },
    answer: 'The number of messages that are, or would be, resent.',
  },
  'GET /v1/webhooks/{id}/deliveries': {
    summary: 'List deliveries of a webhook',
    description: 'Includes FAILED deliveries. Deliveries are stored for 30 days.',
    operation: { name: 'ListWebhookDeliveries', field: 'webhookDeliveries' },
    answer: 'One page of deliveries with their attempts, newest first by default.',
  },
  'GET /v1/webhooks/{id}/deliveries/{delivery_id}': {
    summary: 'Read one delivery',
    operation: { name: 'GetWebhookDelivery', field: 'webhookDelivery' },
    answer: 'The delivery with its attempts and its body.',
  },
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    summary: 'Redeliver a message',
    description: 'Creates a new delivery with six attempts, whatever the outcome of the first.',
    operation: { name: 'RedeliverWebhook', field: 'redeliverWebhook' },
    answer: 'The new, pending delivery.',
  },
});

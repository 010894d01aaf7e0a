import type { RequestContext } from '../../../shared/auth/context.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { platformAct } from './platform-act.js';
import type { WebhookRecord } from './ports/webhook-store.js';

export const WEBHOOKS = 'webhooks';

interface Act {
  readonly type: string;
  readonly atMs: number;
  readonly more?: JsonObject;
}

/** An act on a subscription as `_platform` keeps it: the host alone, since receivers put tokens into their addresses. */
export const webhookAct = (
  ids: Pick<Ids, 'next'>,
  context: Pick<RequestContext, 'principal'>,
  webhook: Pick<WebhookRecord, 'webhook_id' | 'tenant_id' | 'revision'>,
  { type, atMs, more = {} }: Act,
): LedgerEntryEffect =>
  platformAct(ids, context, {
    type,
    tenantId: webhook.tenant_id,
    atMs,
    payload: { webhook_id: webhook.webhook_id, revision: webhook.revision, ...more },
  });

/** What a subscription is, as entries tell it. */
export const describeWebhook = (webhook: WebhookRecord): JsonObject => ({
  url_host: new URL(webhook.url).host,
  event_types: [...webhook.event_types],
  source_systems: webhook.source_systems === null ? null : [...webhook.source_systems],
  throttle_per_second: webhook.throttle_per_second,
  max_in_flight: webhook.max_in_flight,
});

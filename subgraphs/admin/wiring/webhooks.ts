import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { WebhookDeliveryResolver } from '../resolvers/webhook-deliveries.js';
import { WebhookResolver } from '../resolvers/webhooks.js';
import type { WebhookDeps } from '../service/change-webhook.js';
import type { DeliveryStore } from '../service/ports/delivery-store.js';
import type { MessageStore } from '../service/ports/message-store.js';
import type { WebhookStore } from '../service/ports/webhook-store.js';

/** Former secrets sign for 15 minutes; a minute later they are nowhere. */
const ERASE_EVERY_MS = 60_000;

interface WebhookParts {
  readonly webhooks: WebhookStore;
  readonly outbox: EffectRelay;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
  readonly deliveryQueue: Pick<WorkQueue, 'wake'>;
}

/** Subscriptions: their resolvers, and the work that they need beside requests. */
export function wireWebhooks(deps: LinkedDeps, parts: WebhookParts): readonly (readonly [unknown, unknown])[] {
  const webhookDeps: WebhookDeps = { ...deps, ...parts, judgeUrl: urlJudge(deps.config.webhooks) };
  deps.jobs.recurring({
    name: 'webhooks.erase-secrets',
    description: 'erases former secrets of webhooks whose time is over',
    everyMs: ERASE_EVERY_MS,
    run: () => parts.webhooks.eraseFormerSecrets(new Date(deps.clock.nowMs())),
  });
  return [
    [WebhookResolver, new WebhookResolver(webhookDeps)],
    [WebhookDeliveryResolver, new WebhookDeliveryResolver(webhookDeps)],
  ];
}

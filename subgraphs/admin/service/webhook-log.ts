import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { DeliveryQuery, DeliveryStore, WebhookDelivery } from './ports/delivery-store.js';
import type { MessageStore, StoredMessage } from './ports/message-store.js';
import type { WebhookStore } from './ports/webhook-store.js';
import { getWebhook } from './read-webhooks.js';

export interface LogDeps {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
}

/** What was sent to a subscription, or is to be. @throws NOT_FOUND */
export async function listDeliveries(
  deps: LogDeps,
  context: RequestContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Page<WebhookDelivery>> {
  const webhook = await getWebhook(deps, context, webhookId);
  if (webhook === null) throw problem('NOT_FOUND');
  const rows = await deps.deliveries(webhook.tenant_id).list(webhookId, query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row._id }));
}

export interface DeliveryWithMessage {
  readonly delivery: WebhookDelivery;
  /** Null when the message is no longer kept. */
  readonly message: StoredMessage | null;
}

/** One delivery and the message that it carries; null for none of this subscription. */
export async function getDelivery(
  deps: LogDeps,
  context: RequestContext,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryWithMessage | null> {
  const tenantId = authorise(context, 'webhooks:read');
  if (!isIdOf('delivery', deliveryId) || (await getWebhook(deps, context, webhookId)) === null) return null;
  const delivery = await deps.deliveries(tenantId).get(webhookId, deliveryId);
  if (delivery === null) return null;
  return { delivery, message: await deps.messages.forTenant(tenantId).get(delivery.message_id) };
}

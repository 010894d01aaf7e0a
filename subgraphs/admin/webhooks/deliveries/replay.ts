import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../../shared/ids/ids.js';
import { forWork } from '../../../../shared/ids/work.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { EVENT_KIND_NAMES, EVENT_KINDS, type EventKindName } from '../../../../shared/outbox/event-kinds.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import { wantsType } from '../domain.js';
import type { MessageStore, StoredMessage } from '../messages/ports.js';
import { storedMessage } from '../messages/publish.js';
import { webhooksFor } from '../owner.js';
import type { WebhookRecord, WebhookStore } from '../ports.js';
import { webhookAct } from '../steps.js';
import { getWebhook, type WebhookDeps } from '../webhooks.js';
import type { DeliveryCell } from './domain/groups.js';
import type { DeliveryQuery, DeliveryStore, DeliveryWindow, NewDelivery, WebhookDelivery } from './ports.js';

interface LogDeps {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
}

/** Lists the deliveries of a webhook. @throws NOT_FOUND */
export async function listDeliveries(
  deps: LogDeps,
  context: RequestContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Page<WebhookDelivery>> {
  const webhook = await getWebhook(deps, context, webhookId);
  if (webhook === null) throw problem('NOT_FOUND');
  return deps.deliveries(webhook.tenant_id).page(webhookId, query);
}

/** Counts the deliveries of a webhook by their members. @throws NOT_FOUND */
export async function countDeliveries(
  deps: LogDeps,
  context: RequestContext,
  webhookId: string,
  window: DeliveryWindow,
): Promise<readonly DeliveryCell[]> {
  const webhook = await getWebhook(deps, context, webhookId);
  if (webhook === null) throw problem('NOT_FOUND');
  return deps.deliveries(webhook.tenant_id).cells(webhookId, window);
}

interface DeliveryWithMessage {
  readonly delivery: WebhookDelivery;
  /** Null if the message is no longer stored. */
  readonly message: StoredMessage | null;
}

/** Returns a delivery with its message; null if the webhook has no such delivery. */
export async function getDelivery(
  deps: LogDeps,
  context: RequestContext,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryWithMessage | null> {
  const tenantId = authorise(context, 'webhooks:own');
  if (!isIdOf('delivery', deliveryId) || (await getWebhook(deps, context, webhookId)) === null) return null;
  const delivery = await deps.deliveries(tenantId).get(webhookId, deliveryId);
  if (delivery === null) return null;
  return { delivery, message: await deps.messages.forTenant(tenantId).get(delivery.message_id) };
}

// Requested deliveries: a test, or a message again. Each is a new delivery and an entry of `_platform`, which is written before
// the delivery.

/**
 * Sends the example of an event kind, flagged as a test; it does not affect the health.
 *
 * @throws NOT_FOUND, VALIDATION_ERROR for a kind that the webhook does not accept, CONFLICT unless it is ACTIVE
 */
export async function sendTest(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
  eventType: EventKindName | undefined,
): Promise<WebhookDelivery> {
  const webhook = await activeWebhook(deps, context, webhookId);
  const type = eventType ?? EVENT_KIND_NAMES.find((kind) => wantsType(webhook.event_types, kind));
  if (type === undefined) throw new Error('a webhook without an event kind');
  if (!wantsType(webhook.event_types, type)) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/event_type', 'unwanted', 'Must be a kind that the webhook accepts.')],
    });
  }
  const { ids } = forWork(deps, context, 'test-webhook');
  const at = new Date(deps.clock.nowMs());
  const example = { message_id: ids.next('message'), type, at: isoTime(at.getTime()), data: EVENT_KINDS[type].example };
  const message = storedMessage(webhook.tenant_id, example, true);
  const delivery = deliveryOf(webhook, ids, { ...message, trigger: 'TEST', at });
  await recordAct(deps, context, webhook, { ids, type: 'webhook.tested', more: namesOf(delivery) });
  await deps.messages.forTenant(webhook.tenant_id).insert([message]);
  return insertOne(deps, delivery);
}

/**
 * Sends a message again, with six new attempts, whatever the status of the first delivery.
 *
 * @throws NOT_FOUND, CONFLICT if the message is no longer stored or the webhook is not ACTIVE
 */
export async function redeliver(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const webhook = await activeWebhook(deps, context, webhookId, deliveryId);
  const former = await deps.deliveries(webhook.tenant_id).get(webhookId, deliveryId);
  if (former === null) throw problem('NOT_FOUND');
  const message = await deps.messages.forTenant(webhook.tenant_id).get(former.message_id);
  if (message === null) throw problem('CONFLICT', { message: 'The message is no longer stored (30 days).' });
  const { ids } = forWork(deps, context, 'redeliver-webhook');
  const trigger = message.test ? 'TEST' : 'REDELIVERY';
  const delivery = deliveryOf(webhook, ids, { ...message, trigger, at: new Date(deps.clock.nowMs()) });
  const more = { ...namesOf(delivery), former_delivery_id: deliveryId };
  await recordAct(deps, context, webhook, { ids, type: 'webhook.redelivered', more });
  return insertOne(deps, delivery);
}

/** Returns an ACTIVE webhook; others receive nothing. @throws NOT_FOUND, CONFLICT */
export async function activeWebhook(
  deps: Pick<WebhookDeps, 'webhooks'>,
  context: RequestContext,
  webhookId: string,
  deliveryId?: string,
): Promise<WebhookRecord> {
  const { webhooks } = webhooksFor(deps.webhooks, context, 'webhooks:write');
  const wellFormed = isIdOf('webhook', webhookId) && (deliveryId === undefined || isIdOf('delivery', deliveryId));
  const webhook = wellFormed ? await webhooks.get(webhookId) : null;
  if (webhook === null) throw problem('NOT_FOUND');
  if (webhook.status !== 'ACTIVE') throw notActive();
  return webhook;
}

const notActive = () =>
  problem('CONFLICT', { message: 'Only an ACTIVE webhook receives deliveries; enable it first.' });

interface ManualAct {
  /** Identifiers of the work: the same request run again writes the same entry. */
  readonly ids: Pick<Ids, 'next'>;
  readonly type: 'webhook.tested' | 'webhook.redelivered' | 'webhook.recovered';
  readonly more: JsonObject;
}

/** Commits the entry of an act that changes no member. @throws CONFLICT if the webhook is no longer ACTIVE */
export async function recordAct(
  deps: Pick<WebhookDeps, 'webhooks' | 'clock'>,
  context: RequestContext,
  webhook: WebhookRecord,
  { ids, type, more }: ManualAct,
): Promise<void> {
  const pending = [webhookAct(ids, context, webhook, { type, atMs: deps.clock.nowMs(), more })];
  const attached = await deps.webhooks.forTenant(webhook.tenant_id).attach(webhook.webhook_id, pending);
  if (!attached) throw notActive();
}

export const deliveryOf = (
  { tenant_id, webhook_id }: Pick<WebhookRecord, 'tenant_id' | 'webhook_id'>,
  ids: Pick<Ids, 'next'>,
  { message_id, type, trigger, at }: Pick<NewDelivery, 'message_id' | 'type' | 'trigger'> & { readonly at: Date },
): NewDelivery => ({ _id: ids.next('delivery'), tenant_id, webhook_id, message_id, type, trigger, created_at: at });

const namesOf = ({ _id, message_id, type }: NewDelivery): JsonObject => ({
  delivery_id: _id,
  message_id,
  message_type: type,
});

/** Inserts a delivery; an existing one was made by the same request. */
async function insertOne(deps: WebhookDeps, delivery: NewDelivery): Promise<WebhookDelivery> {
  const deliveries = deps.deliveries(delivery.tenant_id);
  await deliveries.insert([delivery]);
  deps.deliveryQueue.wake([delivery.webhook_id]);
  const current = await deliveries.get(delivery.webhook_id, delivery._id);
  if (current === null) throw new Error('a new delivery is missing');
  return current;
}

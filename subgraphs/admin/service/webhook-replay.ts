import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { EVENT_KIND_NAMES, EVENT_KINDS, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import { wantsType } from '../domain/webhook.js';
import type { WebhookDeps } from './change-webhook.js';
import type { NewDelivery, WebhookDelivery } from './ports/delivery-store.js';
import type { WebhookRecord } from './ports/webhook-store.js';
import { storedMessage } from './publish-messages.js';
import { WEBHOOKS, webhookAct } from './webhook-act.js';

// What somebody asks to be sent: a test, or a message once more. Each is a delivery of its own and an entry of
// `_platform`, written before the delivery is: what was sent by hand is on record.

/**
 * Sends the example of a kind of the catalogue, flagged as a test; health does not count it. @throws NOT_FOUND,
 * VALIDATION_ERROR for a kind that the subscription does not take, CONFLICT unless it is ACTIVE
 */
export async function sendTest(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
  eventType: EventKindName | undefined,
): Promise<WebhookDelivery> {
  const webhook = await activeWebhook(deps, context, webhookId);
  const type = eventType ?? EVENT_KIND_NAMES.find((kind) => wantsType(webhook.event_types, kind));
  if (type === undefined) throw new Error('a subscription to no kind of the catalogue');
  if (!wantsType(webhook.event_types, type)) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/event_type', 'unwanted', 'The webhook does not take this kind.')],
    });
  }
  const { ids } = forWork(deps, context, 'test-webhook');
  const at = new Date(deps.clock.nowMs());
  const example = { message_id: ids.next('message'), type, at: isoTime(at.getTime()), data: EVENT_KINDS[type].example };
  const message = storedMessage(webhook.tenant_id, example, true);
  const delivery = deliveryOf(webhook, ids, { ...message, trigger: 'TEST', at });
  await record(deps, context, webhook, { ids, type: 'webhook.tested', more: namesOf(delivery) });
  await deps.messages.forTenant(webhook.tenant_id).insert([message]);
  return insertOne(deps, delivery);
}

/**
 * Sends a message once more, with six attempts of its own; how the first delivery stands plays no part. @throws NOT_FOUND,
 * CONFLICT when the message is no longer kept, or the subscription is not ACTIVE
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
  if (message === null) throw problem('CONFLICT', { message: 'The message is no longer kept.' });
  const { ids } = forWork(deps, context, 'redeliver-webhook');
  const trigger = message.test ? 'TEST' : 'REDELIVERY';
  const delivery = deliveryOf(webhook, ids, { ...message, trigger, at: new Date(deps.clock.nowMs()) });
  const more = { ...namesOf(delivery), former_delivery_id: deliveryId };
  await record(deps, context, webhook, { ids, type: 'webhook.redelivered', more });
  return insertOne(deps, delivery);
}

/** The subscription, which must be ACTIVE: any other is sent nothing. @throws NOT_FOUND, CONFLICT */
export async function activeWebhook(
  deps: Pick<WebhookDeps, 'webhooks'>,
  context: RequestContext,
  webhookId: string,
  deliveryId?: string,
): Promise<WebhookRecord> {
  const tenantId = authorise(context, 'webhooks:write');
  const wellFormed = isIdOf('webhook', webhookId) && (deliveryId === undefined || isIdOf('delivery', deliveryId));
  const webhook = wellFormed ? await deps.webhooks.forTenant(tenantId).get(webhookId) : null;
  if (webhook === null) throw problem('NOT_FOUND');
  if (webhook.status !== 'ACTIVE') throw notActive();
  return webhook;
}

const notActive = () => problem('CONFLICT', { message: 'Only an ACTIVE webhook is sent anything: enable it first.' });

interface ManualAct {
  /** Of the work: the same request run again writes the same entry. */
  readonly ids: Pick<Ids, 'next'>;
  readonly type: 'webhook.tested' | 'webhook.redelivered' | 'webhook.recovered';
  readonly more: JsonObject;
}

/** Commits the entry of an act that changes nothing of the subscription. @throws CONFLICT when it is ACTIVE no more */
export async function record(
  deps: Pick<WebhookDeps, 'webhooks' | 'clock' | 'outbox'>,
  context: RequestContext,
  webhook: WebhookRecord,
  { ids, type, more }: ManualAct,
): Promise<void> {
  const pending = [webhookAct(ids, context, webhook, { type, atMs: deps.clock.nowMs(), more })];
  const attached = await deps.webhooks.forTenant(webhook.tenant_id).attach(webhook.webhook_id, pending);
  if (!attached) throw notActive();
  await deps.outbox.relay(WEBHOOKS, webhook.webhook_id, pending);
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

/** One that is there already was made by this very request. */
async function insertOne(deps: WebhookDeps, delivery: NewDelivery): Promise<WebhookDelivery> {
  const deliveries = deps.deliveries(delivery.tenant_id);
  await deliveries.insert([delivery]);
  deps.deliveryQueue.wake([delivery.webhook_id]);
  const standing = await deliveries.get(delivery.webhook_id, delivery._id);
  if (standing === null) throw new Error('a delivery is gone that was just made');
  return standing;
}

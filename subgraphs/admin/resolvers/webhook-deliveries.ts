import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import {
  bodyExampleOf,
  bodySchemaOf,
  EVENT_KIND_NAMES,
  EVENT_KINDS,
  type EventKindName,
} from '../../../shared/outbox/event-kinds.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import {
  WebhookDeliveryDetail,
  WebhookDeliveryFilter,
  WebhookDeliveryPage,
  WebhookDeliveryShape,
  type WebhookEventType,
  WebhookEventTypePage,
  WebhookRecovery,
} from '../schema/webhook-delivery-shapes.js';
import { WebhookRecoveryInput, WebhookTestInput } from '../schema/webhook-inputs.js';
import type { WebhookDeps } from '../service/change-webhook.js';
import type { WebhookDelivery } from '../service/ports/delivery-store.js';
import { getDelivery, listDeliveries } from '../service/webhook-log.js';
import { recoverDeliveries } from '../service/webhook-recovery.js';
import { redeliver, sendTest } from '../service/webhook-replay.js';
import { listWindowOf } from './list-window.js';

const shown = (delivery: WebhookDelivery): WebhookDeliveryShape => ({
  delivery_id: delivery._id,
  webhook_id: delivery.webhook_id,
  message_id: delivery.message_id,
  type: delivery.type,
  status: delivery.status,
  trigger: delivery.trigger,
  attempts: delivery.attempts.map(({ at, status, duration_ms, error }) => ({
    at: isoTime(at.getTime()),
    duration_ms,
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error }),
  })),
  ...(delivery.next_attempt_at === undefined ? {} : { next_attempt_at: isoTime(delivery.next_attempt_at.getTime()) }),
  created_at: isoTime(delivery.created_at.getTime()),
});

const eventType = (kind: EventKindName): WebhookEventType => {
  const { area, description } = EVENT_KINDS[kind];
  return { type: kind, area, description, schema: bodySchemaOf(kind), example: bodyExampleOf(kind) };
};

/** @throws VALIDATION_ERROR: RFC 3339 may name a second that is not there. */
function instant(member: string, text: string): number {
  const atMs = instantOf(text);
  if (atMs !== undefined) return atMs;
  throw problem('VALIDATION_ERROR', { errors: [fault(`/${member}`, 'format', 'Not a time.')] });
}

const WEBHOOK_ID = { description: 'The webhook.' };
const DELIVERY_ID = { description: 'The delivery.' };

@Resolver()
export class WebhookDeliveryResolver {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  @Query(() => WebhookEventTypePage, { description: 'The catalogue of event kinds, whole.' })
  webhookEventTypes(@Ctx() context: RequestContext): Page<WebhookEventType> {
    requireScope(context, 'webhooks:read');
    return { items: EVENT_KIND_NAMES.map(eventType), next_cursor: null };
  }

  @Query(() => WebhookDeliveryPage, { description: 'What was sent to a webhook, or is to be.' })
  async webhookDeliveries(
    @Args(() => WebhookDeliveryFilter) filter: WebhookDeliveryFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<WebhookDeliveryShape>> {
    const { name: _, ...window } = listWindowOf(filter);
    const { status, type, trigger } = filter;
    const query = { ...window, status: status ?? undefined, type: type ?? undefined, trigger: trigger ?? undefined };
    const page = await listDeliveries(this.#deps, context, filter.webhook_id, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => WebhookDeliveryDetail, { nullable: true, description: 'One delivery with what it carries.' })
  async webhookDelivery(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('delivery_id', () => String, DELIVERY_ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryDetail | null> {
    const found = await getDelivery(this.#deps, context, webhookId, deliveryId);
    if (found === null) return null;
    const body = found.message === null ? null : (JSON.parse(found.message.body.toString('utf8')) as JsonValue);
    return { ...shown(found.delivery), body };
  }

  @Mutation(() => WebhookDeliveryShape, { description: 'Sends an example, flagged as a test.' })
  async testWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('input', () => WebhookTestInput) { event_type }: WebhookTestInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryShape> {
    // The enum of the contract holds it to the catalogue.
    const kind = (event_type ?? undefined) as EventKindName | undefined;
    return shown(await sendTest(this.#deps, context, webhookId, kind));
  }

  @Mutation(() => WebhookDeliveryShape, { description: 'Sends a message once more.' })
  async redeliverWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('delivery_id', () => String, DELIVERY_ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryShape> {
    return shown(await redeliver(this.#deps, context, webhookId, deliveryId));
  }

  @Mutation(() => WebhookRecovery, { description: 'Sends again what of a span never got through.' })
  async recoverWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('input', () => WebhookRecoveryInput) input: WebhookRecoveryInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookRecovery> {
    const dryRun = input.dry_run ?? false;
    const span = { sinceMs: instant('since', input.since), untilMs: instant('until', input.until) };
    const asked = { webhookId, ...span, eventTypes: input.event_types ?? undefined, dryRun };
    const { webhook, count, continueFromMs } = await recoverDeliveries(this.#deps, context, asked);
    const continue_from = continueFromMs === null ? null : isoTime(continueFromMs);
    return { webhook_id: webhook.webhook_id, dry_run: dryRun, count, continue_from };
  }
}

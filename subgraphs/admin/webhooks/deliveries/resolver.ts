import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import { windowOf } from '../../../../shared/graph/group-args.js';
import { parseStrictJson } from '../../../../shared/json/strict-json.js';
import {
  bodyExampleOf,
  bodySchemaOf,
  EVENT_KIND_NAMES,
  EVENT_KINDS,
  type EventKindName,
} from '../../../../shared/outbox/event-kinds.js';
import { mapPage, type Page } from '../../../../shared/pagination/cursor.js';
import { firstGroups } from '../../../../shared/records/group-cells.js';
import { listQueryOf } from '../../../../shared/records/list-query.js';
import { showing } from '../../../../shared/records/shown.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { WebhookRecoveryInput, WebhookTestInput } from '../schema.js';
import type { WebhookDeps } from '../webhooks.js';
import { type DeliveryDimension, groupDeliveries } from './domain/groups.js';
import type { WebhookDelivery } from './ports.js';
import { recoverDeliveries } from './recovery.js';
import { countDeliveries, getDelivery, listDeliveries, redeliver, sendTest } from './replay.js';
import {
  DeliveryAggregateArgs,
  WebhookDeliveryAggregate,
  WebhookDeliveryDetail,
  WebhookDeliveryFilter,
  WebhookDeliveryPage,
  WebhookDeliveryShape,
  type WebhookEventType,
  WebhookEventTypePage,
  WebhookRecovery,
} from './schema.js';

const shown = showing(WebhookDeliveryShape, ({ _id }: WebhookDelivery) => ({ delivery_id: _id }));

const eventType = (kind: EventKindName): WebhookEventType => {
  const { area, description } = EVENT_KINDS[kind];
  return { type: kind, area, description, schema: bodySchemaOf(kind), example: bodyExampleOf(kind) };
};

/** @throws VALIDATION_ERROR for a time that does not exist, which the pattern of the contract allows */
function instant(member: string, text: string): number {
  const atMs = instantOf(text);
  if (atMs !== undefined) return atMs;
  throw problem('VALIDATION_ERROR', {
    errors: [fault(`/${member}`, 'format', 'Must be an RFC 3339 time with a zone.')],
  });
}

const memberOf = (dimension: Uppercase<DeliveryDimension>) => dimension.toLowerCase() as DeliveryDimension;

const WEBHOOK_ID = { description: 'The webhook.' };
const DELIVERY_ID = { description: 'The delivery.' };

@Resolver()
export class WebhookDeliveryResolver {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  @Query(() => WebhookEventTypePage, { description: 'Lists the event kinds.' })
  webhookEventTypes(@Ctx() context: RequestContext): Page<WebhookEventType> {
    requireScope(context, 'webhooks:own');
    return { items: EVENT_KIND_NAMES.map(eventType), next_cursor: null };
  }

  @Query(() => WebhookDeliveryPage, { description: 'Lists the deliveries of a webhook.' })
  async webhookDeliveries(
    @Args(() => WebhookDeliveryFilter) filter: WebhookDeliveryFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<WebhookDeliveryShape>> {
    const { webhook_id, ...rest } = filter;
    return mapPage(await listDeliveries(this.#deps, context, webhook_id, listQueryOf(rest)), shown);
  }

  @Query(() => WebhookDeliveryAggregate, { description: 'Groups the deliveries of a webhook by their values.' })
  async webhookDeliveryAggregate(
    @Args(() => DeliveryAggregateArgs) { webhook_id, by, limit, ...window }: DeliveryAggregateArgs,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryAggregate> {
    const cells = await countDeliveries(this.#deps, context, webhook_id, windowOf(window));
    return firstGroups(cells, groupDeliveries(cells, by.map(memberOf)), limit);
  }

  @Query(() => WebhookDeliveryDetail, { nullable: true, description: 'Returns a delivery with its message.' })
  async webhookDelivery(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('delivery_id', () => String, DELIVERY_ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryDetail | null> {
    const found = await getDelivery(this.#deps, context, webhookId, deliveryId);
    if (found === null) return null;
    const body = found.message === null ? null : parseStrictJson(found.message.body);
    return { ...shown(found.delivery), body };
  }

  @Mutation(() => WebhookDeliveryShape, { description: 'Sends an example, flagged as a test.' })
  async testWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('input', () => WebhookTestInput) { event_type }: WebhookTestInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryShape> {
    return shown(await sendTest(this.#deps, context, webhookId, event_type ?? undefined));
  }

  @Mutation(() => WebhookDeliveryShape, { description: 'Sends a message again.' })
  async redeliverWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('delivery_id', () => String, DELIVERY_ID) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryShape> {
    return shown(await redeliver(this.#deps, context, webhookId, deliveryId));
  }

  @Mutation(() => WebhookRecovery, { description: 'Sends the undelivered messages of a time span again.' })
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

import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { type ShownStatus, WEBHOOK_MACHINE } from '../domain/webhook.js';
import { Webhook, WebhookFilter, WebhookPage, WebhookWithSecret } from '../schema/webhook.js';
import { WebhookInput, WebhookPatch } from '../schema/webhook-inputs.js';
import {
  createWebhook,
  deleteWebhook,
  updateWebhook,
  type WebhookDeps,
  type WithSecret,
} from '../service/change-webhook.js';
import type { WebhookRecord } from '../service/ports/webhook-store.js';
import { getWebhook, listWebhooks } from '../service/read-webhooks.js';
import { rotateWebhookSecret } from '../service/rotate-webhook-secret.js';
import { eventTypesOf } from '../service/webhook-members.js';
import { given, listWindowOf } from './list-window.js';

const timeOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));
const SERVICE_ACTS: readonly string[] = ['suspend'];

/** Member by member, so that a wrapped secret cannot slip out. */
const shownAt = (atMs: number, webhook: WebhookRecord): Webhook => {
  const formerUntilMs = Math.max(...webhook.former_secrets.map(({ until }) => until.getTime()), 0);
  return {
    webhook_id: webhook.webhook_id,
    tenant_id: webhook.tenant_id,
    url: webhook.url,
    event_types: webhook.event_types,
    source_systems: webhook.source_systems,
    description: webhook.description,
    // A deleted one is read nowhere.
    status: webhook.status as ShownStatus,
    suspension_reason: webhook.suspension_reason,
    allowed_actions: allowedActions(WEBHOOK_MACHINE, webhook.status).filter((act) => !SERVICE_ACTS.includes(act)),
    health: {
      consecutive_failures: webhook.health.consecutive_failures,
      first_failure_at: timeOrNull(webhook.health.first_failure_at),
      last_failure_at: timeOrNull(webhook.health.last_failure_at),
      last_success_at: timeOrNull(webhook.health.last_success_at),
    },
    throttle_per_second: webhook.throttle_per_second,
    max_in_flight: webhook.max_in_flight,
    previous_secret_expires_at: formerUntilMs > atMs ? isoTime(formerUntilMs) : null,
    revision: webhook.revision,
    created_at: isoTime(webhook.created_at.getTime()),
    created_by: webhook.created_by,
    updated_at: isoTime(webhook.updated_at.getTime()),
    last_enabled_at: isoTime(webhook.last_enabled_at.getTime()),
  };
};

const WEBHOOK_ID = { description: 'The webhook.' };

@Resolver()
export class WebhookResolver {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  @Query(() => WebhookPage, { description: 'Webhooks of the tenant.' })
  async webhooks(
    @Args(() => WebhookFilter) filter: WebhookFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Webhook>> {
    const { name: _, ...window } = listWindowOf(filter);
    const query = { ...window, status: filter.status ?? undefined, url: filter.url ?? undefined };
    const page = await listWebhooks(this.#deps, context, query);
    return { items: page.items.map((webhook) => this.#shown(webhook)), next_cursor: page.next_cursor };
  }

  @Query(() => Webhook, { nullable: true, description: "One webhook; null when it is not the tenant's." })
  async webhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<Webhook | null> {
    const found = await getWebhook(this.#deps, context, webhookId);
    return found && this.#shown(found);
  }

  @Mutation(() => WebhookWithSecret, { description: 'Makes a webhook.' })
  async createWebhook(
    @Arg('input', () => WebhookInput) input: WebhookInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookWithSecret> {
    const { tenant_id: _, events, event_types, ...members } = given(input);
    const types = eventTypesOf({ events, event_types }, true);
    return this.#withSecret(
      await createWebhook(this.#deps, context, { ...members, url: input.url, event_types: types }),
    );
  }

  @Mutation(() => Webhook, { description: 'Changes, pauses or enables a webhook.' })
  async updateWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('input', () => WebhookPatch) input: WebhookPatch,
    @Ctx() context: RequestContext,
  ): Promise<Webhook> {
    const { status, revision, events, event_types, ...members } = given(input);
    const types = eventTypesOf({ events, event_types }, false);
    const changed = types === undefined ? members : { ...members, event_types: types };
    return this.#shown(await updateWebhook(this.#deps, context, { webhookId, members: changed, status, revision }));
  }

  @Mutation(() => Webhook, { description: 'Ends a webhook; what waits to be sent is cancelled.' })
  async deleteWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<Webhook> {
    return this.#shown(await deleteWebhook(this.#deps, context, webhookId));
  }

  @Mutation(() => WebhookWithSecret, { description: 'A new secret at once; the former one signs for 15 minutes more.' })
  async rotateWebhookSecret(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookWithSecret> {
    return this.#withSecret(await rotateWebhookSecret(this.#deps, context, webhookId));
  }

  #shown(webhook: WebhookRecord): Webhook {
    return shownAt(this.#deps.clock.nowMs(), webhook);
  }

  #withSecret({ webhook, secret }: WithSecret): WebhookWithSecret {
    return { ...this.#shown(webhook), secret };
  }
}

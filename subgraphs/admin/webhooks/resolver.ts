import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { isShown, WEBHOOK_MACHINE } from './domain.js';
import type { WebhookRecord } from './ports.js';
import { Webhook, WebhookFilter, WebhookInput, WebhookPage, WebhookPatch, WebhookWithSecret } from './schema.js';
import { rotateWebhookSecret } from './secrets.js';
import {
  createWebhook,
  deleteWebhook,
  eventTypesOf,
  getWebhook,
  listWebhooks,
  namedWebhooks,
  updateWebhook,
  type WebhookDeps,
  type WithSecret,
} from './webhooks.js';

const SERVICE_ACTIONS: readonly string[] = ['suspend'];

/** Picks the members of the class, so that a wrapped secret stays private. */
const shown = showing(Webhook, ({ status, former_secrets, nowMs }: WebhookRecord & { readonly nowMs: number }) => {
  // Reads exclude deleted webhooks.
  if (!isShown(status)) throw new Error('a deleted webhook is shown');
  const formerUntilMs = Math.max(...former_secrets.map(({ until }) => until.getTime()), 0);
  return {
    status,
    allowed_actions: allowedActions(WEBHOOK_MACHINE, status).filter((action) => !SERVICE_ACTIONS.includes(action)),
    previous_secret_expires_at: formerUntilMs > nowMs ? isoTime(formerUntilMs) : null,
  };
});

export type WebhookReadDeps = Pick<WebhookDeps, 'webhooks' | 'clock'>;

/** Resolves references to webhooks under the scope of `webhook`. */
export const webhookReferences = (deps: WebhookReadDeps) =>
  referencesTo('webhook_id', 'webhook', async (context, ids) => {
    const found = await namedWebhooks(deps, context, ids);
    return found.map((webhook) => shown({ ...webhook, nowMs: deps.clock.nowMs() }));
  });

const WEBHOOK_ID = { description: 'The webhook.' };

@Resolver()
export class WebhookResolver {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  @Query(() => WebhookPage, { description: 'Lists the webhooks of the tenant.' })
  async webhooks(
    @Args(() => WebhookFilter) filter: WebhookFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Webhook>> {
    const page = await listWebhooks(this.#deps, context, listQueryOf(filter));
    return mapPage(page, (webhook) => this.#shown(webhook));
  }

  @Query(() => Webhook, { nullable: true, description: "Returns a webhook; null if it is not the tenant's." })
  async webhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<Webhook | null> {
    const found = await getWebhook(this.#deps, context, webhookId);
    return found && this.#shown(found);
  }

  @Mutation(() => WebhookWithSecret, { description: 'Creates a webhook.' })
  async createWebhook(
    @Arg('input', () => WebhookInput) input: WebhookInput,
    @Ctx() context: RequestContext,
  ): Promise<WebhookWithSecret> {
    const members = { ...WebhookInput.complete(input), event_types: eventTypesOf(input, true) };
    return this.#withSecret(await createWebhook(this.#deps, context, members));
  }

  @Mutation(() => Webhook, { description: 'Changes, pauses or enables a webhook.' })
  async updateWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Arg('input', () => WebhookPatch) input: WebhookPatch,
    @Ctx() context: RequestContext,
  ): Promise<Webhook> {
    const types = eventTypesOf(input, false);
    const members = { ...WebhookPatch.given(input), ...(types === undefined ? {} : { event_types: types }) };
    const { status, revision } = input;
    return this.#shown(await updateWebhook(this.#deps, context, { webhookId, members, status, revision }));
  }

  @Mutation(() => Webhook, { description: 'Deletes a webhook and cancels its waiting deliveries.' })
  async deleteWebhook(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<Webhook> {
    return this.#shown(await deleteWebhook(this.#deps, context, webhookId));
  }

  @Mutation(() => WebhookWithSecret, { description: 'Replaces the secret; the former one still signs for 15 minutes.' })
  async rotateWebhookSecret(
    @Arg('webhook_id', () => String, WEBHOOK_ID) webhookId: string,
    @Ctx() context: RequestContext,
  ): Promise<WebhookWithSecret> {
    return this.#withSecret(await rotateWebhookSecret(this.#deps, context, webhookId));
  }

  #shown(webhook: WebhookRecord): Webhook {
    return shown({ ...webhook, nowMs: this.#deps.clock.nowMs() });
  }

  #withSecret({ webhook, secret }: WithSecret): WebhookWithSecret {
    return { ...this.#shown(webhook), secret };
  }
}

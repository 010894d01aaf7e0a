import { internalContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  SUSPEND_AFTER_FAILING_MS,
  type SuspensionReason,
  WEBHOOK_MACHINE,
  type WebhookHealth,
} from '../domain/webhook.js';
import type { AdminEffect } from './ports/admin-effects.js';
import type { Signing, Subscription, WebhookDirectory, WebhookRecord, WebhookStore } from './ports/webhook-store.js';
import { describeWebhook, WEBHOOKS, webhookAct } from './webhook-act.js';
import { unwrapSecret } from './webhook-secret.js';
import { warningOf, warningOver } from './webhook-warning.js';

export interface DirectoryDeps {
  readonly webhooks: WebhookStore;
  readonly masterKey: MasterKey;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly outbox: EffectRelay;
}

/** Who suspends: the service itself. */
const SERVICE = 'webhooks';
/** Whoever changes a subscription meanwhile is met this often. */
const MAX_ATTEMPTS = 5;

/** Subscriptions as the delivery of messages sees them. */
export class StoredWebhookDirectory implements WebhookDirectory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  active(tenantId: TenantId): Promise<readonly Subscription[]> {
    return this.#deps.webhooks.active(tenantId);
  }

  async signing(webhookId: string): Promise<Signing | null> {
    const webhook = await this.#deps.webhooks.byId(webhookId);
    if (webhook === null || webhook.status === 'DELETED') return null;
    const { masterKey } = this.#deps;
    const { webhook_id, tenant_id, url, status, throttle_per_second, max_in_flight } = webhook;
    return {
      ...{ webhook_id, tenant_id, url, status, throttle_per_second, max_in_flight },
      secret: unwrapSecret(masterKey, webhook, webhook.wrapped_secret),
      previous: webhook.former_secrets.map(({ wrapped, until }) => ({
        secret: unwrapSecret(masterKey, webhook, wrapped),
        until,
      })),
    };
  }

  async noteSuccess(webhookId: string, at: Date): Promise<void> {
    const { webhooks, ids } = this.#deps;
    if (await webhooks.noteSuccess(webhookId, at)) return;
    const standing = await webhooks.byId(webhookId);
    if (standing === null) return;
    const pending = [warningOver(ids, standing, 'A delivery got through.')];
    if (await webhooks.noteRelief(webhookId, at, pending)) await this.#relay(webhookId, pending);
  }

  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null> {
    return this.#deps.webhooks.noteFailure(webhookId, at);
  }

  async warn(webhookId: string, at: Date): Promise<void> {
    const { webhooks, ids } = this.#deps;
    const standing = await webhooks.byId(webhookId);
    const failingSince = standing?.health.first_failure_at;
    if (!standing || !failingSince) return;
    const sinceMs = failingSince.getTime();
    const detail = { failing_since: isoTime(sinceMs), suspended_at: isoTime(sinceMs + SUSPEND_AFTER_FAILING_MS) };
    const pending = [warningOf(ids, standing, detail)];
    if (await webhooks.warn(webhookId, failingSince, at, pending)) await this.#relay(webhookId, pending);
  }

  async suspend(webhookId: string, reason: SuspensionReason): Promise<void> {
    const { webhooks, clock } = this.#deps;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const standing = await webhooks.byId(webhookId);
      if (standing?.status !== 'ACTIVE') return;
      const step = transition(WEBHOOK_MACHINE, standing.status, 'suspend');
      const at = new Date(clock.nowMs());
      const revision = standing.revision + 1;
      const pending = this.#effectsOf({ ...standing, revision }, { emits: step.emits, reason, at });
      const changed = await webhooks.forTenant(standing.tenant_id).change(webhookId, {
        revision: standing.revision,
        set: { status: step.to, suspension_reason: reason, revision, updated_at: at, work_id: null },
        pending,
      });
      if (changed === null) continue;
      await this.#relay(webhookId, pending);
      return;
    }
    throw new Error('a subscription to be suspended is being changed all the time');
  }

  #relay(webhookId: string, pending: readonly AdminEffect[]): Promise<void> {
    return this.#deps.outbox.relay(WEBHOOKS, webhookId, pending);
  }

  #effectsOf(
    webhook: WebhookRecord,
    { emits, reason, at }: { readonly emits: readonly string[]; readonly reason: SuspensionReason; readonly at: Date },
  ): readonly AdminEffect[] {
    const { ids } = this.#deps;
    const { webhook_id, tenant_id, health } = webhook;
    const failingSince = health.first_failure_at === null ? null : isoTime(health.first_failure_at.getTime());
    const detail = { reason, failing_since: failingSince };
    const more = { ...describeWebhook(webhook), ...detail, consecutive_failures: health.consecutive_failures };
    const context = internalContext(tenant_id, SERVICE);
    return [
      ...emits.map((type) => webhookAct(ids, context, webhook, { type, atMs: at.getTime(), more })),
      ...(health.warned_at === null ? [] : [warningOver(ids, webhook, 'The webhook is suspended.')]),
      {
        id: ids.next('effect'),
        kind: 'open-exception',
        tenant_id,
        exception: { kind: 'WEBHOOK_SUSPENDED', subject: { webhook_id }, detail },
      },
    ];
  }
}

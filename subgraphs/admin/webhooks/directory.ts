import { internalContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { SUSPEND_AFTER_FAILING_MS, type SuspensionReason, type WebhookHealth } from './domain.js';
import type { Signing, Subscription, WebhookDirectory, WebhookStore } from './ports.js';
import { unwrapSecret } from './secrets.js';
import { describeWebhook, exceptionOf, stepOf, takeSteps, warningResolved } from './steps.js';

interface DirectoryDeps {
  readonly webhooks: WebhookStore;
  readonly masterKey: MasterKey;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Author of suspensions. */
const SERVICE = 'webhooks';

/** Webhooks as the delivery of messages uses them. */
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
    const current = await webhooks.byId(webhookId);
    if (current === null) return;
    await webhooks.noteRecovery(webhookId, at, [warningResolved(ids, current, 'A delivery succeeded.')]);
  }

  noteFailure(webhookId: string, at: Date): Promise<WebhookHealth | null> {
    return this.#deps.webhooks.noteFailure(webhookId, at);
  }

  async warn(webhookId: string, at: Date): Promise<void> {
    const { webhooks, ids } = this.#deps;
    const current = await webhooks.byId(webhookId);
    const failingSince = current?.health.first_failure_at;
    if (!current || !failingSince) return;
    const sinceMs = failingSince.getTime();
    const detail = { failing_since: isoTime(sinceMs), suspended_at: isoTime(sinceMs + SUSPEND_AFTER_FAILING_MS) };
    await webhooks.warn(webhookId, failingSince, at, [exceptionOf(ids, current, 'WEBHOOK_FAILING', detail)]);
  }

  /** Suspends an ACTIVE webhook; a deleted or inactive one stays as it is. */
  async suspend(webhookId: string, reason: SuspensionReason): Promise<void> {
    const { webhooks, ids } = this.#deps;
    const found = await webhooks.byId(webhookId);
    if (found === null) return;
    const context = internalContext(found.tenant_id, SERVICE);
    const read = () => webhooks.byId(webhookId);
    await takeSteps(this.#deps, context, read, (current) => {
      if (current.status !== 'ACTIVE') return { steps: [] };
      const { first_failure_at, consecutive_failures, warned_at } = current.health;
      const detail = { reason, failing_since: first_failure_at && isoTime(first_failure_at.getTime()) };
      return {
        steps: [stepOf(current, 'suspend')],
        set: { status: 'SUSPENDED', suspension_reason: reason },
        more: (webhook) => ({ ...describeWebhook(webhook), ...detail, consecutive_failures }),
        follows: [
          ...(warned_at === null ? [] : [warningResolved(ids, current, 'The webhook is suspended.')]),
          exceptionOf(ids, current, 'WEBHOOK_SUSPENDED', detail),
        ],
      };
    });
  }
}

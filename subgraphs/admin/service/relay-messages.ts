import type { Clock } from '../../../shared/clock/clock.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import type { EventKindName } from '../../../shared/outbox/event-kinds.js';
import { wantsSource, wantsType } from '../domain/webhook.js';
import { scheduledDeliveryId } from '../domain/webhook-delivery.js';
import type { DeliveryStore, NewDelivery } from './ports/delivery-store.js';
import type { Subscription, WebhookStore } from './ports/webhook-store.js';

/** A message as far as it decides who gets it. */
export interface RelayedMessage {
  readonly message_id: string;
  readonly type: EventKindName;
  /** Of an event of the ledger: its source system. */
  readonly source_system?: string;
}

export interface RelayDeps {
  readonly webhooks: Pick<WebhookStore, 'active'>;
  readonly deliveries: DeliveryStore;
  readonly queue: Pick<WorkQueue, 'wake'>;
  readonly clock: Clock;
}

/** Whether a subscription is to be told of a message. Reserved partitions are told to those alone who name them. */
export function wantsMessage(
  { event_types, source_systems }: Pick<Subscription, 'event_types' | 'source_systems'>,
  { type, source_system }: RelayedMessage,
): boolean {
  return wantsType(event_types, type) && (source_system === undefined || wantsSource(source_systems, source_system));
}

/** Turns messages into deliveries: one for each subscription that is ACTIVE now and wants it. */
export class Relay {
  readonly #deps: RelayDeps;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /** Resolves when what is to be delivered is durable. What is scheduled already stays as it is. */
  async schedule(tenantId: TenantId, messages: readonly RelayedMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const active = await this.#deps.webhooks.active(tenantId);
    const wanted = active.flatMap((webhook) =>
      messages.filter((message) => wantsMessage(webhook, message)).map((message) => ({ webhook, message })),
    );
    await this.deliver(tenantId, wanted);
  }

  /** Schedules these pairs, and wakes whoever delivers them. */
  async deliver(
    tenantId: TenantId,
    pairs: readonly { readonly webhook: Pick<Subscription, 'webhook_id'>; readonly message: RelayedMessage }[],
  ): Promise<void> {
    if (pairs.length === 0) return;
    const created_at = new Date(this.#deps.clock.nowMs());
    const rows = pairs.map(
      ({ webhook: { webhook_id }, message: { message_id, type } }): NewDelivery => ({
        _id: scheduledDeliveryId(webhook_id, message_id),
        tenant_id: tenantId,
        webhook_id,
        message_id,
        type,
        trigger: 'SCHEDULED',
        created_at,
      }),
    );
    await this.#deps.deliveries(tenantId).insert(rows);
    this.#deps.queue.wake(new Set(rows.map(({ webhook_id }) => webhook_id)));
  }
}

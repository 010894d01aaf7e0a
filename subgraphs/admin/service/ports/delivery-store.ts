import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../../shared/jobs/work-queue.js';
import type { EventKindName } from '../../../../shared/outbox/event-kinds.js';
import type { DeliveryAttempt, DeliveryStatus, DeliveryTrigger } from '../../domain/webhook-delivery.js';

/** One message on its way to one subscription: the row of the queue `webhooks.deliver`. `_id` is the delivery_id. */
export interface WebhookDelivery extends WorkRow {
  readonly tenant_id: TenantId;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly type: EventKindName;
  readonly trigger: DeliveryTrigger;
  readonly status: DeliveryStatus;
  /** Attempts made. */
  readonly attempt: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly created_at: Date;
}

/** A delivery that nothing was done for yet; it is due at once. */
export type NewDelivery = Pick<
  WebhookDelivery,
  '_id' | 'tenant_id' | 'webhook_id' | 'message_id' | 'type' | 'trigger' | 'created_at'
>;

export interface DeliveryQuery extends ListWindow {
  readonly status?: DeliveryStatus | undefined;
  readonly type?: EventKindName | undefined;
  readonly trigger?: DeliveryTrigger | undefined;
}

/** Deliveries of one tenant. */
export interface TenantDeliveries {
  get(webhookId: string, deliveryId: string): Promise<WebhookDelivery | null>;
  /** Up to `limit + 1` of one subscription, in order. */
  list(webhookId: string, query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;
  /**
   * Those that are there already stay as they are. Durable when it resolves; then wake the queue with their webhook ids.
   *
   * @returns how many were new.
   */
  insert(deliveries: readonly NewDelivery[]): Promise<number>;
  /** Of these messages, those that the subscription has got, or that are on their way to it, by a delivery since then. */
  settledOrWaiting(webhookId: string, messageIds: readonly string[], sinceMs: number): Promise<ReadonlySet<string>>;
  /** What waits for a subscription, or is under way to it, is CANCELLED. @returns how many. */
  cancelWaiting(webhookId: string): Promise<number>;
  /**
   * What waits for a subscription becomes due at `atMs`, when it was enabled again; what was tried since then waits as it
   * does. @returns how many.
   */
  hastenWaiting(webhookId: string, atMs: number): Promise<number>;
}

export type DeliveryStore = (tenantId: TenantId) => TenantDeliveries;

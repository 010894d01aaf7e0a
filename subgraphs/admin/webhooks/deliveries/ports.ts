import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkRow } from '../../../../shared/jobs/work-queue.js';
import type { EventKindName } from '../../../../shared/outbox/event-kinds.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../../shared/records/records.js';
import type { DeliveryAttempt, DeliveryStatus, DeliveryTrigger } from './domain/delivery.js';
import type { DeliveryCell } from './domain/groups.js';

/** One message for one webhook: the row of the queue `webhooks.deliver`. `_id` is the delivery_id. */
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

/** A new delivery; it is due at once. */
export type NewDelivery = Pick<
  WebhookDelivery,
  '_id' | 'tenant_id' | 'webhook_id' | 'message_id' | 'type' | 'trigger' | 'created_at'
>;

export type DeliveryQuery = ListQuery<Pick<WebhookDelivery, 'status' | 'type' | 'trigger'>>;

/** In epoch milliseconds; an undefined end is open. */
export interface DeliveryWindow {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** Deliveries of one tenant. */
export interface TenantDeliveries {
  get(webhookId: string, deliveryId: string): Promise<WebhookDelivery | null>;
  /** Returns one page of the deliveries of a webhook. */
  page(webhookId: string, query: DeliveryQuery): Promise<Page<WebhookDelivery>>;
  /** Counts the deliveries of a webhook by their members, those made in a window. */
  cells(webhookId: string, window: DeliveryWindow): Promise<readonly DeliveryCell[]>;
  /**
   * Inserts deliveries; existing ones stay. Durable when it resolves; then wake the queue with their webhook ids.
   *
   * @returns the number of new ones.
   */
  insert(deliveries: readonly NewDelivery[]): Promise<number>;
  /** Returns the given messages that a delivery since then has sent to the webhook or will send. */
  settledOrWaiting(webhookId: string, messageIds: readonly string[], sinceMs: number): Promise<ReadonlySet<string>>;
  /** Cancels the waiting and running deliveries of a webhook. @returns their number. */
  cancelWaiting(webhookId: string): Promise<number>;
  /**
   * Makes the waiting deliveries of a webhook due at `atMs`, the time of its enabling; deliveries tried since then stay.
   *
   * @returns their number.
   */
  hastenWaiting(webhookId: string, atMs: number): Promise<number>;
}

export type DeliveryStore = (tenantId: TenantId) => TenantDeliveries;

import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { EventKindName } from '../../../../shared/outbox/event-kinds.js';

/** A platform event as receivers get it. */
export interface StoredMessage {
  readonly message_id: string;
  readonly tenant_id: TenantId;
  readonly type: EventKindName;
  /** When it happened. */
  readonly created_at: Date;
  /** The bytes of every attempt. */
  readonly body: Buffer;
  /** Made by `POST /v1/webhooks/{id}/test`: for that subscription alone, never recovered. */
  readonly test: boolean;
}

/** Messages of a span of time, oldest first. */
export interface MessageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly types: readonly EventKindName[];
  /** Begin behind this one. */
  readonly after?: { readonly atMs: number; readonly id: string };
  readonly limit: number;
}

/** Messages of one tenant, kept for 30 days. */
export interface TenantMessages {
  /** Those that are there already stay as they are. Durable when it resolves. */
  insert(messages: readonly StoredMessage[]): Promise<void>;
  get(messageId: string): Promise<StoredMessage | null>;
  /** Without those of tests. */
  list(span: MessageSpan): Promise<readonly Omit<StoredMessage, 'body'>[]>;
}

export interface MessageStore {
  forTenant(tenantId: TenantId): TenantMessages;
  /** Bodies by message id, for the delivery; those that are gone are missing. */
  bodies(messageIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

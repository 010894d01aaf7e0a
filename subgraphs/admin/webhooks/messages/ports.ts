import type { ChainHead } from '../../../../shared/contracts/ledger-feed.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { EventKindName } from '../../../../shared/outbox/event-kinds.js';

/** A platform event as receivers get it. */
export interface StoredMessage {
  readonly message_id: string;
  readonly tenant_id: TenantId;
  readonly type: EventKindName;
  /** Time of the event. */
  readonly created_at: Date;
  /** The bytes that every attempt sends. */
  readonly body: Buffer;
  /** Created by `POST /v1/webhooks/{id}/test`: only for that webhook, never recovered. */
  readonly test: boolean;
}

/** Messages of a time span, oldest first. */
export interface MessageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly types: readonly EventKindName[];
  /** Starts after this message. */
  readonly after?: { readonly atMs: number; readonly id: string };
  readonly limit: number;
}

/** Messages of one tenant, stored for 30 days. */
export interface TenantMessages {
  /** Existing messages stay. Durable when it resolves. */
  insert(messages: readonly StoredMessage[]): Promise<void>;
  get(messageId: string): Promise<StoredMessage | null>;
  /** Lists messages without tests. */
  list(span: MessageSpan): Promise<readonly Omit<StoredMessage, 'body'>[]>;
}

export interface MessageStore {
  forTenant(tenantId: TenantId): TenantMessages;
  /** Returns bodies by message id, for deliveries; deleted messages are missing. */
  bodies(messageIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

/** The position up to which the chains of tenants are converted to messages. */
export interface LedgerCursors {
  of(tenantId: TenantId): Promise<readonly ChainHead[]>;
  /** Advances, never moves back. After a lost write the same entries are read again, which is harmless. */
  advance(tenantId: TenantId, heads: readonly ChainHead[]): Promise<void>;
}

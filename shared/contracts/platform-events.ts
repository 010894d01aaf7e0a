import { ID_PREFIXES } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';
import type { EventKindName } from '../outbox/event-kinds.js';

/** Something that happened, as receivers of webhooks are told. Thin: ids, hashes and times, nothing personal. */
export interface PlatformMessage {
  /** Fixed before the first attempt: published again, it is the same message. */
  readonly message_id: string;
  readonly type: EventKindName;
  /** When it happened, RFC 3339. */
  readonly at: string;
  readonly data: JsonObject;
}

/** How every part of the service tells that something happened. */
export interface PlatformEvents {
  /**
   * Resolves when the messages and what is to be delivered of them are durable; publishing again changes nothing. Changes
   * do not call it: they carry a `platform-event` effect (shared/outbox/pending-effect.ts), which is performed by it.
   */
  publish(tenantId: TenantId, messages: readonly PlatformMessage[]): Promise<void>;
}

/** The message of an effect, or of an event of the ledger: the same ULID under another prefix. */
export const messageIdOf = (id: string): string => `${ID_PREFIXES.message}${id.slice(id.lastIndexOf('_'))}`;

import { z } from 'zod';
import { ID_PREFIXES } from '../ids/ids.js';
import type { TenantId } from '../ids/tenant.js';
import type { EventKindName } from '../outbox/event-kinds.js';
import { branded, defineCall, JSON_OBJECT, jsonList } from './call.js';

/** A platform event as webhooks send it. Thin: ids, hashes and times, nothing personal. */
const PlatformMessage = z.object({
  /** Fixed before the first attempt: publishing it again gives the same message. */
  message_id: z.string(),
  /** The admin subgraph checks it against the catalogue, and `data` against its schema. */
  type: branded<EventKindName>(),
  /** When it happened, RFC 3339. */
  at: z.string(),
  data: JSON_OBJECT,
});
export type PlatformMessage = z.infer<typeof PlatformMessage>;

/** Publishes platform events to webhooks. */
export interface PlatformEvents {
  /**
   * Resolves when the messages and their deliveries are durable; publishing again changes nothing. State changes do not
   * call it: they store a `platform-event` effect (shared/outbox/pending-effect.ts), and the outbox calls it.
   */
  publish(tenantId: TenantId, messages: readonly PlatformMessage[]): Promise<void>;
}

/** Returns the message id of an effect or a ledger event: the same ULID under another prefix. */
export const messageIdOf = (id: string): string => `${ID_PREFIXES.message}${id.slice(id.lastIndexOf('_'))}`;

export const publishMessages = defineCall({
  subgraph: 'admin',
  kind: 'mutation',
  name: 'publishMessages',
  input: { items: jsonList(PlatformMessage) },
  output: z.int(),
});

import type { PlatformMessage } from '../../../shared/contracts/platform-events.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import { faultsOfData } from '../../../shared/outbox/event-data.js';
import { EVENT_KINDS, type EventKindName } from '../../../shared/outbox/event-kinds.js';
import type { MessageBodies } from './message-bodies.js';
import type { MessageStore, StoredMessage } from './ports/message-store.js';
import type { Relay } from './relay-messages.js';

export interface PublishDeps {
  readonly messages: MessageStore;
  readonly relay: Relay;
  readonly bodies: Pick<MessageBodies, 'keep'>;
}

/**
 * Keeps messages and schedules what is to be delivered of them. Resolves when both are durable, so that whoever published
 * may forget the messages; publishing them again changes nothing. @throws INTERNAL for what is not as the catalogue says.
 */
export async function publishMessages(
  deps: PublishDeps,
  tenantId: TenantId,
  items: readonly unknown[],
): Promise<number> {
  const messages = items.map((item) => storedMessage(tenantId, checked(item)));
  await deps.messages.forTenant(tenantId).insert(messages);
  for (const { message_id, body } of messages) deps.bodies.keep(message_id, body);
  await deps.relay.schedule(tenantId, messages);
  return messages.length;
}

/** The message as receivers get it: the bytes are made once, so that they are the same on every attempt. */
export function storedMessage(tenantId: TenantId, message: PlatformMessage, test = false): StoredMessage {
  const { message_id, type, at, data } = message;
  const flag = test ? { test } : {};
  const body = Buffer.from(
    JSON.stringify({ id: message_id, type, tenant_id: tenantId, created_at: at, data, ...flag }),
  );
  return { message_id, tenant_id: tenantId, type, created_at: new Date(at), body, test };
}

/** Effects may have been written by another version: a message that is not as the catalogue says stays where it is, told in the log. */
function checked(item: unknown): PlatformMessage {
  if (!isJsonObject(item as never)) throw wrong('no object');
  const { message_id, type, at, data } = item as Partial<PlatformMessage>;
  if (typeof message_id !== 'string' || !isIdOf('message', message_id)) throw wrong('no id of a message');
  if (typeof type !== 'string' || !Object.hasOwn(EVENT_KINDS, type)) throw wrong('a kind that is not in the catalogue');
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) throw wrong('no time');
  const faults = faultsOfData(type as EventKindName, data);
  if (faults.length > 0) throw wrong(`data of ${type} does not fit its schema: ${faults.join(', ')}`);
  return item as unknown as PlatformMessage;
}

const wrong = (what: string): Error => problem('INTERNAL', { internal: `a message cannot be published: ${what}` });

import type { Clock } from '../../../../shared/clock/clock.js';
import type { PlatformMessage } from '../../../../shared/contracts/platform-events.js';
import { problem } from '../../../../shared/errors/problem.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { WorkQueue } from '../../../../shared/jobs/work-queue.js';
import { faultsOfData } from '../../../../shared/outbox/event-data.js';
import { EVENT_KINDS, type EventKindName } from '../../../../shared/outbox/event-kinds.js';
import { scheduledDeliveryId } from '../deliveries/domain/delivery.js';
import type { DeliveryStore, NewDelivery } from '../deliveries/ports.js';
import { wantsSource, wantsType } from '../domain.js';
import type { Subscription, WebhookStore } from '../ports.js';
import type { MessageBodies } from './bodies.js';
import type { MessageStore, StoredMessage } from './ports.js';

/** The members of a message that decide its receivers. */
interface RelayedMessage {
  readonly message_id: string;
  readonly type: EventKindName;
  /** Source system of a ledger event. */
  readonly source_system?: string;
}

interface RelayDeps {
  readonly webhooks: Pick<WebhookStore, 'active'>;
  readonly deliveries: DeliveryStore;
  readonly queue: Pick<WorkQueue, 'wake'>;
  readonly clock: Clock;
}

/** Returns whether a webhook receives a message. Events of reserved partitions go only to webhooks that name them. */
function wantsMessage(
  { event_types, source_systems }: Pick<Subscription, 'event_types' | 'source_systems'>,
  { type, source_system }: RelayedMessage,
): boolean {
  return wantsType(event_types, type) && (source_system === undefined || wantsSource(source_systems, source_system));
}

/** Converts messages to deliveries: one for each ACTIVE webhook that wants the message. */
export class Relay {
  readonly #deps: RelayDeps;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /** Schedules deliveries; resolves when they are durable. Existing ones stay. */
  async schedule(tenantId: TenantId, messages: readonly RelayedMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const active = await this.#deps.webhooks.active(tenantId);
    const wanted = active.flatMap((webhook) =>
      messages.filter((message) => wantsMessage(webhook, message)).map((message) => ({ webhook, message })),
    );
    await this.deliver(tenantId, wanted);
  }

  /** Schedules these pairs and wakes the queue. */
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

export interface PublishDeps {
  readonly messages: MessageStore;
  readonly relay: Relay;
  readonly bodies: Pick<MessageBodies, 'keep'>;
}

/**
 * Stores messages and schedules their deliveries. Resolves when both are durable; publishing a message again changes nothing.
 *
 * @throws INTERNAL for a message that does not fit the catalogue
 */
export async function publishMessages(
  deps: PublishDeps,
  tenantId: TenantId,
  items: readonly unknown[],
): Promise<number> {
  const messages = items.map((item) => storedMessage(tenantId, parsed(item)));
  await deps.messages.forTenant(tenantId).insert(messages);
  for (const { message_id, body } of messages) deps.bodies.keep(message_id, body);
  await deps.relay.schedule(tenantId, messages);
  return messages.length;
}

/** Builds the message as receivers get it: the bytes are made once, so that every attempt sends the same bytes. */
export function storedMessage(tenantId: TenantId, message: PlatformMessage, test = false): StoredMessage {
  const { message_id, type, at, data } = message;
  const flag = test ? { test } : {};
  const body = Buffer.from(
    JSON.stringify({ id: message_id, type, tenant_id: tenantId, created_at: at, data, ...flag }),
  );
  return { message_id, tenant_id: tenantId, type, created_at: new Date(at), body, test };
}

/** Parses a message. Another version may have written the effect: an unknown message stays pending and is logged. */
function parsed(item: unknown): PlatformMessage {
  if (!isRecord(item)) throw wrong('not an object');
  const { message_id, type, at, data } = item;
  if (typeof message_id !== 'string' || !isIdOf('message', message_id)) throw wrong('no message id');
  if (!isEventKind(type)) throw wrong('a kind that is not in the catalogue');
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) throw wrong('no time');
  requireData(type, data);
  return { message_id, type, at, data };
}

function requireData(type: EventKindName, data: unknown): asserts data is PlatformMessage['data'] {
  const faults = faultsOfData(type, data);
  if (faults.length > 0) throw wrong(`data of ${type} does not fit its schema: ${faults.join(', ')}`);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEventKind = (value: unknown): value is EventKindName =>
  typeof value === 'string' && Object.hasOwn(EVENT_KINDS, value);

const wrong = (what: string): Error => problem('INTERNAL', { internal: `a message cannot be published: ${what}` });

import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import { SafeClient } from '../../../shared/http/safe-connect/safe-client.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { Figure } from '../../../shared/telemetry/figures.js';
import { ledgerCursors } from '../model/ledger-cursor.js';
import { DELIVERY_COLLECTION, deliveryModel } from '../model/webhook-delivery.js';
import { messageModel } from '../model/webhook-message.js';
import { PlatformEventResolver } from '../resolvers/platform-events.js';
import { DeliveryFigures } from '../service/delivery-figures.js';
import { deliveryQueue } from '../service/delivery-queue.js';
import { LedgerFollow } from '../service/follow-ledger.js';
import { MessageBodies } from '../service/message-bodies.js';
import type { DeliveryStore } from '../service/ports/delivery-store.js';
import type { MessageStore } from '../service/ports/message-store.js';
import type { Signing, WebhookStore } from '../service/ports/webhook-store.js';
import { Relay } from '../service/relay-messages.js';
import { watchedWebhooks } from '../service/watch-webhooks.js';
import { StoredWebhookDirectory } from '../service/webhook-directory.js';

/** What another process changes of a subscription is heeded this soon; what this one changes, at once. */
const SIGNING_MAX_AGE_MS = 500;
const MOST_SIGNINGS_KEPT = 10_000;

/** The net: what the ledger has told nobody of, after a crash or while this subgraph was away, is found within it. */
const LOOK_EVERY_MS = 15_000;

export interface PlatformEventParts {
  readonly webhooks: WebhookStore;
  readonly outbox: EffectRelay;
  readonly deliveries: DeliveryStore;
  readonly messages: MessageStore;
}

export interface WiredPlatformEvents {
  readonly resolvers: readonly (readonly [unknown, unknown])[];
  /** The store of subscriptions for whoever changes them: changes are heeded by the delivery. */
  readonly webhooks: WebhookStore;
  readonly deliveryQueue: WorkQueue;
  readonly figures: () => readonly Figure[];
  readonly close: () => Promise<void>;
}

/** Messages, their relay to subscriptions, and their delivery. */
export async function wirePlatformEvents(deps: LinkedDeps, parts: PlatformEventParts): Promise<WiredPlatformEvents> {
  const { connection } = deps.database;
  for (const model of [messageModel(connection), deliveryModel(connection)]) await model.createIndexes();
  const signings = new FreshCache<Signing>({
    clock: deps.clock,
    maxAgeMs: SIGNING_MAX_AGE_MS,
    absentMaxAgeMs: SIGNING_MAX_AGE_MS,
    maxEntries: MOST_SIGNINGS_KEPT,
    load: async (webhookId) => (await directory.signing(webhookId)) ?? undefined,
  });
  const webhooks = watchedWebhooks(parts.webhooks, (webhookId) => signings.forget(webhookId));
  const directory = new StoredWebhookDirectory({ ...deps, ...parts, webhooks });
  const client = new SafeClient({ policy: deps.config.webhooks });
  const bodies = new MessageBodies(parts.messages);
  const figures = new DeliveryFigures();
  const queue = await deps.jobs.queue(
    deliveryQueue(
      {
        ...deps,
        webhooks: directory,
        signing: async (webhookId) => (await signings.get(webhookId)) ?? null,
        bodies,
        client,
        judgeUrl: urlJudge(deps.config.webhooks),
        figures,
      },
      DELIVERY_COLLECTION,
    ),
  );
  const relay = new Relay({ ...deps, ...parts, queue });
  const cursors = await ledgerCursors(deps.database.db);
  const follow = new LedgerFollow({ ...deps, ...parts, cursors, relay, bodies });
  deps.jobs.recurring({
    name: 'webhooks.follow',
    description: 'Finds events of the ledger that no webhook was told of.',
    everyMs: LOOK_EVERY_MS,
    run: (signal) => follow.lookAll(signal),
  });
  const publish = { messages: parts.messages, relay, bodies, follow };
  return {
    resolvers: [[PlatformEventResolver, new PlatformEventResolver(publish)]],
    webhooks,
    deliveryQueue: queue,
    figures: () => figures.read(),
    close: async () => {
      await follow.close();
      await client.close();
    },
  };
}

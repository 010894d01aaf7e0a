import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { WiredArea } from '../../../shared/graph/areas.js';
import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import { SafeClient } from '../../../shared/http/safe-connect/safe-client.js';
import type { AdminParts } from '../parts.js';
import { DeliveryFigures, deliveryQueue } from './deliveries/deliver-message.js';
import { DELIVERY_COLLECTION } from './deliveries/model.js';
import { WebhookDeliveryResolver } from './deliveries/resolver.js';
import { StoredWebhookDirectory } from './directory.js';
import { MessageBodies } from './messages/bodies.js';
import { LedgerFollow } from './messages/follow-ledger.js';
import { ledgerCursors, messageStore } from './messages/model.js';
import { Relay } from './messages/publish.js';
import { PlatformEventResolver } from './messages/resolver.js';
import { webhookStore } from './model/webhooks.js';
import type { Signing } from './ports.js';
import { WebhookResolver } from './resolver.js';
import { DeliveryEdgeResolver } from './resolvers/delivery-edges.js';
import type { WebhookDeps } from './webhooks.js';

/** Delay after which deliveries use another process's change of a webhook; changes of this process apply at once. */
const SIGNING_MAX_AGE_MS = 500;
const MAX_SIGNINGS = 10_000;

/** Interval of the search for events that were missed by a crash or while this subgraph was down. */
const SEARCH_EVERY_MS = 15_000;

/** Former secrets sign for 15 minutes and are erased at most a minute later. */
const ERASE_EVERY_MS = 60_000;

/** Wires webhooks, messages, their relay to webhooks, and their delivery. */
export async function wireWebhooks({ outbox, deliveries, ...deps }: AdminParts): Promise<WiredArea> {
  const { db } = deps.database;
  const now = () => new Date(deps.clock.nowMs());
  const signings = new FreshCache<Signing>({
    clock: deps.clock,
    maxAgeMs: SIGNING_MAX_AGE_MS,
    absentMaxAgeMs: SIGNING_MAX_AGE_MS,
    maxEntries: MAX_SIGNINGS,
    load: async (webhookId) => (await directory.signing(webhookId)) ?? undefined,
  });
  const webhooks = webhookStore({ db, outbox }, ({ webhook_id }) => signings.forget(webhook_id));
  const messages = messageStore(db, now);
  const parts = { webhooks, messages, deliveries };
  const directory = new StoredWebhookDirectory({ ...deps, webhooks });
  const client = new SafeClient({ policy: deps.config.webhooks });
  const judgeUrl = urlJudge(deps.config.webhooks);
  const bodies = new MessageBodies(messages);
  const figures = new DeliveryFigures();
  const signing = async (webhookId: string) => (await signings.get(webhookId)) ?? null;
  const delivery = { ...deps, webhooks: directory, signing, bodies, client, judgeUrl, figures };
  const queue = await deps.jobs.queue(deliveryQueue(delivery, DELIVERY_COLLECTION.name));
  const relay = new Relay({ ...deps, ...parts, queue });
  const follow = new LedgerFollow({ ...deps, ...parts, cursors: await ledgerCursors(db), relay, bodies });
  deps.jobs.recurring({
    name: 'webhooks.follow',
    description: 'Finds ledger events that no webhook has received.',
    everyMs: SEARCH_EVERY_MS,
    run: (signal) => follow.lookAll(signal),
  });
  deps.jobs.recurring({
    name: 'webhooks.erase-secrets',
    description: 'erases expired former secrets of webhooks',
    everyMs: ERASE_EVERY_MS,
    run: () => webhooks.eraseFormerSecrets(now()),
  });
  const webhookDeps: WebhookDeps = { ...deps, ...parts, deliveryQueue: queue, judgeUrl };
  return {
    resolvers: [
      new WebhookResolver(webhookDeps),
      new WebhookDeliveryResolver(webhookDeps),
      new DeliveryEdgeResolver(webhookDeps),
      new PlatformEventResolver({ messages, relay, bodies, follow }),
    ],
    figures: () => figures.read(),
    close: async () => {
      await follow.close();
      await client.close();
    },
  };
}

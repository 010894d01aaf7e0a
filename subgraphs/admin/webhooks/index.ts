import type { AdminArea, AdminParts } from '../parts.js';
import { DELIVERY_MACHINE } from './deliveries/domain/delivery.js';
import { DELIVERY_COLLECTION } from './deliveries/model.js';
import { WebhookDeliveryResolver } from './deliveries/resolver.js';
import { WEBHOOK_MACHINE } from './domain.js';
import { MESSAGE_COLLECTION } from './messages/model.js';
import { PlatformEventResolver } from './messages/resolver.js';
import { WEBHOOK_COLLECTION, webhookStore } from './model/webhooks.js';
import { WebhookResolver, webhookReferences } from './resolver.js';
import { DeliveryEdgeResolver } from './resolvers/delivery-edges.js';
import { wireWebhooks } from './wiring.js';

export { deliveryStore } from './deliveries/model.js';

/** The webhooks as references read them: without writes, there are no caches to keep current. */
const readsOf = ({ database, clock }: AdminParts) => ({
  webhooks: webhookStore({ db: database.db }, () => undefined),
  clock,
});

/** Webhooks, messages and their deliveries. */
export const webhooksArea: AdminArea = {
  resolvers: [WebhookResolver, WebhookDeliveryResolver, DeliveryEdgeResolver, PlatformEventResolver],
  references: { Webhook: (parts) => webhookReferences(readsOf(parts)) },
  stateMachines: [WEBHOOK_MACHINE, DELIVERY_MACHINE],
  collections: [WEBHOOK_COLLECTION, MESSAGE_COLLECTION, DELIVERY_COLLECTION],
  wire: wireWebhooks,
};

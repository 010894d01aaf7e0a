import type { AdminArea } from '../parts.js';
import { DELIVERY_MACHINE } from './deliveries/domain/delivery.js';
import { DELIVERY_COLLECTION } from './deliveries/model.js';
import { WebhookDeliveryResolver } from './deliveries/resolver.js';
import { WEBHOOK_MACHINE } from './domain.js';
import { MESSAGE_COLLECTION } from './messages/model.js';
import { PlatformEventResolver } from './messages/resolver.js';
import { WEBHOOK_COLLECTION } from './model/webhooks.js';
import { WebhookResolver } from './resolver.js';
import { wireWebhooks } from './wiring.js';

export { deliveryStore } from './deliveries/model.js';

/** Webhooks, messages and their deliveries. */
export const webhooksArea: AdminArea = {
  resolvers: [WebhookResolver, WebhookDeliveryResolver, PlatformEventResolver],
  stateMachines: [WEBHOOK_MACHINE, DELIVERY_MACHINE],
  collections: [WEBHOOK_COLLECTION, MESSAGE_COLLECTION, DELIVERY_COLLECTION],
  wire: wireWebhooks,
};

import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import type { DeliverDeps } from './deliver-message.js';
import { deliverMessage } from './deliver-message.js';
import type { WebhookDelivery } from './ports/delivery-store.js';

/**
 * Requests under way in one process: a silent receiver holds a place for ten seconds, and each has `max_in_flight` of them
 * at most, so that many silent ones leave room for the others. A place is a socket and a few kilobytes.
 */
const CONCURRENCY = 1_024;
/** Of a subscription that is gone: what is left of it is cancelled. */
const IN_FLIGHT_WHEN_GONE = 16;

/** Deliveries as work: subscriptions take turns, so that no receiver holds up another's messages. */
export const deliveryQueue = (deps: DeliverDeps, collection: string): QueueSpec<WebhookDelivery> => ({
  name: 'webhooks.deliver',
  description: 'Sends messages to receivers of webhooks.',
  collection,
  groupField: 'webhook_id',
  concurrency: CONCURRENCY,
  limits: async (webhookId) => {
    const webhook = await deps.signing(webhookId);
    if (webhook === null) return { maxInFlight: IN_FLIGHT_WHEN_GONE };
    const { max_in_flight, throttle_per_second } = webhook;
    return {
      maxInFlight: max_in_flight,
      ...(throttle_per_second === null ? {} : { perSecond: throttle_per_second }),
    };
  },
  foresee: (rows) => deps.bodies.foresee(rows.map(({ message_id }) => message_id)),
  handle: (row, lease) => deliverMessage(deps, row, lease),
  poison: () => ({ set: { status: 'FAILED' } }),
});

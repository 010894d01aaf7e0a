import { sha256 } from '../../../../../shared/crypto/hash.js';
import { ID_PREFIXES } from '../../../../../shared/ids/ids.js';
import { stateMachine } from '../../../../../shared/state-machine/state-machine.js';

// One message for one webhook (specification "Webhook delivery").

export const DELIVERY_STATUSES = ['PENDING', 'RETRY_SCHEDULED', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Cause of a delivery: an event, or a request. */
export const DELIVERY_TRIGGERS = ['SCHEDULED', 'REDELIVERY', 'RECOVERY', 'TEST'] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** One request to the receiver and its result. */
export interface DeliveryAttempt {
  readonly at: Date;
  /** HTTP status; absent without an answer. */
  readonly status?: number;
  readonly duration_ms: number;
  /** Failure of closed lists (DeliveryError, SendFailure); absent after a success. */
  readonly error?: string;
}

export type DeliveryAction = 'create' | 'succeed' | 'retry' | 'fail' | 'cancel';

const row = { scope: 'webhooks:own', emits: [] } as const;

/** Steps of the service; `cancel` follows from the deletion of the webhook. */
export const DELIVERY_MACHINE = stateMachine<DeliveryStatus, DeliveryAction>('webhook delivery', [
  { from: null, action: 'create', to: 'PENDING', ...row },
  { from: 'PENDING', action: 'succeed', to: 'DELIVERED', ...row },
  { from: 'PENDING', action: 'retry', to: 'RETRY_SCHEDULED', ...row },
  { from: 'PENDING', action: 'fail', to: 'FAILED', ...row },
  { from: 'PENDING', action: 'cancel', to: 'CANCELLED', ...row },
  { from: 'RETRY_SCHEDULED', action: 'succeed', to: 'DELIVERED', ...row },
  { from: 'RETRY_SCHEDULED', action: 'retry', to: 'RETRY_SCHEDULED', ...row },
  { from: 'RETRY_SCHEDULED', action: 'fail', to: 'FAILED', ...row },
  { from: 'RETRY_SCHEDULED', action: 'cancel', to: 'CANCELLED', ...row },
]);

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/**
 * Returns the id of a scheduled delivery: a function of webhook and message, so that the primary key prevents a second one. It is
 * a ULID with the time of the message.
 */
export function scheduledDeliveryId(webhookId: string, messageId: string): string {
  const digest = sha256(`${webhookId}\0${messageId}`);
  const ulidAt = messageId.lastIndexOf('_') + 1;
  let id = `${ID_PREFIXES.delivery}_${messageId.slice(ulidAt, ulidAt + TIME_CHARACTERS)}`;
  for (let i = 0; i < RANDOM_CHARACTERS; i++) id += CROCKFORD[(digest[i] ?? 0) & 31];
  return id;
}

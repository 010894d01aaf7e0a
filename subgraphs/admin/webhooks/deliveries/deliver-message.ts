import type { Clock } from '../../../../shared/clock/clock.js';
import type { UrlVerdict } from '../../../../shared/http/safe-connect/judge-url.js';
import type { SafeClient, SendResult } from '../../../../shared/http/safe-connect/safe-client.js';
import type { Lease, Outcome, QueueSpec } from '../../../../shared/jobs/work-queue.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import { describeUnexpected } from '../../../../shared/telemetry/describe-error.js';
import type { Figure } from '../../../../shared/telemetry/figures.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { hasFailedForTooLong, needsWarning } from '../domain.js';
import type { MessageBodies } from '../messages/bodies.js';
import type { Signing, WebhookDirectory } from '../ports.js';
import { DELIVERY_MACHINE, type DeliveryAction, type DeliveryAttempt } from './domain/delivery.js';
import { deliveryHeaders, formerSecret } from './domain/headers.js';
import {
  type AttemptOutcome,
  DELIVERY_TIMEOUT_MS,
  type DeliveryError,
  isSuccess,
  outcomeOf,
  retryAfterMs,
} from './domain/schedule.js';
import type { WebhookDelivery } from './ports.js';

/** Counts attempts of this process, for metrics. */
export class DeliveryFigures {
  readonly #attempts = new Map<string, number>();
  #seconds = 0;

  attempted({ status, error, duration_ms }: DeliveryAttempt): void {
    const result = status === undefined ? (error ?? 'none') : `${Math.floor(status / 100)}xx`;
    this.#attempts.set(result, (this.#attempts.get(result) ?? 0) + 1);
    this.#seconds += duration_ms / 1_000;
  }

  read(): readonly Figure[] {
    const attempts = [...this.#attempts].map(
      ([result, value]): Figure => ({
        name: 'webhook_attempts_total',
        help: 'Requests to receivers of webhooks by result.',
        labels: { result },
        value,
      }),
    );
    const seconds: Figure = {
      name: 'webhook_attempt_seconds_total',
      help: 'Seconds that requests to receivers of webhooks took.',
      labels: {},
      value: this.#seconds,
    };
    return [...attempts, seconds];
  }
}

interface DeliverDeps {
  readonly webhooks: WebhookDirectory;
  /** Cached members for a delivery, at most a moment old. */
  readonly signing: (webhookId: string) => Promise<Signing | null>;
  readonly bodies: MessageBodies;
  readonly client: Pick<SafeClient, 'post'>;
  readonly judgeUrl: (url: string) => UrlVerdict;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly figures: DeliveryFigures;
}

/** Wait of a delivery while its webhook is not ACTIVE; enabling the webhook makes it due at once. */
const NOT_ACTIVE_WAIT_MS = 60 * 60 * 1_000;

/**
 * Makes one attempt to deliver one message. Delivery is at least once: after a crash between the receiver's answer and the write
 * of the outcome the message is sent again with the same id.
 */
async function deliverMessage(deps: DeliverDeps, row: WebhookDelivery, lease: Lease): Promise<Outcome> {
  const webhook = await recipientOf(deps, row.webhook_id);
  if (webhook === null) return final(row, 'cancel');
  if (webhook.status !== 'ACTIVE') return { kind: 'postponed', atMs: deps.clock.nowMs() + NOT_ACTIVE_WAIT_MS };
  const body = await deps.bodies.of(row.message_id);
  const atMs = deps.clock.nowMs();
  if (body === null) {
    return final(row, 'fail', { at: new Date(atMs), duration_ms: 0, error: 'message_gone' satisfies DeliveryError });
  }
  const beganMs = deps.clock.monotonicMs();
  const result = await send(deps, { webhook, row, body, atMs }, lease);
  const attempt: DeliveryAttempt = {
    at: new Date(atMs),
    duration_ms: Math.round(deps.clock.monotonicMs() - beganMs),
    ...attemptOf(result),
  };
  deps.figures.attempted(attempt);
  const decided = outcomeOf({
    attempt,
    attempts: row.attempt + 1,
    trigger: row.trigger,
    retryAfterMs: 'status' in result ? retryAfterMs(result.retryAfter, deps.clock.nowMs()) : null,
  });
  await updateHealth(deps, row, decided, attempt.at);
  if (decided.kind === 'delivered') return final(row, 'succeed', attempt);
  if (decided.kind !== 'retry') return final(row, 'fail', attempt);
  return { kind: 'again', atMs: deps.clock.nowMs() + decided.waitMs, change: changeOf(row, 'retry', attempt) };
}

/** Reads the database before postponing or cancelling: the webhook may have been enabled since it was cached. */
async function recipientOf({ signing, webhooks }: DeliverDeps, webhookId: string): Promise<Signing | null> {
  const known = await signing(webhookId);
  return known?.status === 'ACTIVE' ? known : webhooks.signing(webhookId);
}

interface Shipment {
  readonly webhook: Signing;
  readonly row: WebhookDelivery;
  readonly body: Buffer;
  readonly atMs: number;
  /** Secret of the published signature; the current one by default. */
  readonly signedBy?: string;
}

/**
 * Makes the request of an attempt. A receiver that still verifies with the former secret rejects it; within 15 minutes of a
 * rotation it gets the same message once more at once, signed with that secret, as part of the same attempt.
 */
async function send(deps: DeliverDeps, shipment: Shipment, lease: Lease): Promise<SendResult> {
  const first = await request(deps, shipment, lease);
  if (!isRejected(first)) return first;
  const signedBy = formerSecret(shipment.webhook, shipment.row.attempt + 1, shipment.atMs);
  if (signedBy === undefined) return first;
  const second = await request(deps, { ...shipment, signedBy }, lease);
  return 'status' in second && isSuccess(second.status) ? second : first;
}

const isRejected = (result: SendResult): boolean =>
  'status' in result && result.status >= FIRST_CLIENT_ERROR && result.status < FIRST_SERVER_ERROR;
const FIRST_CLIENT_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

/** Checks the URL again, because the deployment's rules may have changed since its registration. */
async function request(
  { judgeUrl, client }: DeliverDeps,
  { webhook, row, body, atMs, signedBy }: Shipment,
  { signal }: Lease,
): Promise<SendResult> {
  const verdict = judgeUrl(webhook.url);
  if ('refused' in verdict) return { failure: 'address_refused' };
  const headers = deliveryHeaders(webhook, {
    webhookId: webhook.webhook_id,
    messageId: row.message_id,
    type: row.type,
    attempt: row.attempt + 1,
    body,
    atMs,
    ...(signedBy === undefined ? {} : { signedBy }),
  });
  const result = await client.post({ target: verdict.target, headers, body, timeoutMs: DELIVERY_TIMEOUT_MS, signal });
  // The process stops, or another one has the row: not a failure of the receiver, and not an attempt.
  if ('failure' in result && result.failure === 'aborted') throw new Error('a delivery was aborted');
  return result;
}

function attemptOf(result: SendResult): Pick<DeliveryAttempt, 'status' | 'error'> {
  if ('failure' in result) return { error: result.failure };
  const { status } = result;
  return isSuccess(status) ? { status } : { status, error: 'status' satisfies DeliveryError };
}

/**
 * Updates the health of the webhook and suspends or warns. A failed update does not affect the delivery: the next attempt updates
 * again, and the write of a suspension also opens its exception.
 */
async function updateHealth(
  { webhooks, logger }: DeliverDeps,
  { webhook_id, trigger }: WebhookDelivery,
  { kind }: AttemptOutcome,
  at: Date,
): Promise<void> {
  if (trigger === 'TEST') return;
  try {
    if (kind === 'delivered') return await webhooks.noteSuccess(webhook_id, at);
    const health = await webhooks.noteFailure(webhook_id, at);
    if (kind === 'gone') await webhooks.suspend(webhook_id, 'GONE');
    else if (health !== null && hasFailedForTooLong(health, at.getTime())) {
      await webhooks.suspend(webhook_id, 'FAILING');
    } else if (health !== null && needsWarning(health, at.getTime())) await webhooks.warn(webhook_id, at);
  } catch (error) {
    logger.warn({ ...describeUnexpected(error), webhook_id }, 'could not update the health of a webhook');
  }
}

const final = (row: WebhookDelivery, action: DeliveryAction, attempt?: DeliveryAttempt): Outcome => ({
  kind: 'done',
  change: changeOf(row, action, attempt),
});

function changeOf(row: WebhookDelivery, action: DeliveryAction, attempt?: DeliveryAttempt) {
  const status = transition(DELIVERY_MACHINE, row.status, action).to;
  return attempt === undefined
    ? { set: { status } }
    : { set: { status, attempt: row.attempt + 1 }, push: { attempts: attempt } };
}

/**
 * Concurrent requests of one process. A silent receiver holds at most `max_in_flight` places for ten seconds, so that many silent
 * receivers leave places for the others. A place costs a socket and a few kilobytes.
 */
const CONCURRENCY = 1_024;
/** Limit for a deleted webhook; its remaining deliveries are cancelled. */
const IN_FLIGHT_WHEN_GONE = 16;

/** The queue of deliveries. Webhooks are served round-robin, so that no receiver delays another one. */
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

import { type Clock } from '../../../shared/clock/clock.js';
import type { UrlVerdict } from '../../../shared/http/safe-connect/judge-url.js';
import type { SafeClient, SendResult } from '../../../shared/http/safe-connect/safe-client.js';
import type { Lease, Outcome } from '../../../shared/jobs/work-queue.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { deliveryHeaders } from '../domain/delivery-headers.js';
import {
  DELIVERY_TIMEOUT_MS,
  type DeliveryError,
  isSuccess,
  type Judgement,
  judgeAttempt,
  retryAfterMs,
} from '../domain/delivery-schedule.js';
import { hasFailedForTooLong, isToBeWarned } from '../domain/webhook.js';
import { DELIVERY_MACHINE, type DeliveryAction, type DeliveryAttempt } from '../domain/webhook-delivery.js';
import type { DeliveryFigures } from './delivery-figures.js';
import type { MessageBodies } from './message-bodies.js';
import type { WebhookDelivery } from './ports/delivery-store.js';
import type { Signing, WebhookDirectory } from './ports/webhook-store.js';

export interface DeliverDeps {
  readonly webhooks: WebhookDirectory;
  /** What a delivery is sent with, at most a moment old. */
  readonly signing: (webhookId: string) => Promise<Signing | null>;
  readonly bodies: MessageBodies;
  readonly client: Pick<SafeClient, 'post'>;
  readonly judgeUrl: (url: string) => UrlVerdict;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly figures: DeliveryFigures;
}

/** What waits for a subscription that is not ACTIVE is looked at again then; enabling it makes it due at once. */
const NOT_ACTIVE_WAIT_MS = 60 * 60 * 1_000;

/**
 * One attempt to deliver one message. At least once: a process that dies between the receiver's answer and the outcome
 * sends the message again, under the same id.
 */
export async function deliverMessage(deps: DeliverDeps, row: WebhookDelivery, lease: Lease): Promise<Outcome> {
  const webhook = await recipientOf(deps, row.webhook_id);
  if (webhook === null) return ended(row, 'cancel');
  if (webhook.status !== 'ACTIVE') return { kind: 'postponed', atMs: deps.clock.nowMs() + NOT_ACTIVE_WAIT_MS };
  const body = await deps.bodies.of(row.message_id);
  const atMs = deps.clock.nowMs();
  if (body === null) {
    return ended(row, 'fail', { at: new Date(atMs), duration_ms: 0, error: 'message_gone' satisfies DeliveryError });
  }
  const beganMs = deps.clock.monotonicMs();
  const result = await send(deps, { webhook, row, body, atMs }, lease);
  const attempt: DeliveryAttempt = {
    at: new Date(atMs),
    duration_ms: Math.round(deps.clock.monotonicMs() - beganMs),
    ...attemptOf(result),
  };
  deps.figures.attempted(attempt);
  const judgement = judgeAttempt({
    attempt,
    attempts: row.attempt + 1,
    trigger: row.trigger,
    retryAfterMs: 'status' in result ? retryAfterMs(result.retryAfter, deps.clock.nowMs()) : null,
  });
  await note(deps, row, judgement, attempt.at);
  if (judgement.kind === 'delivered') return ended(row, 'succeed', attempt);
  if (judgement.kind !== 'retry') return ended(row, 'fail', attempt);
  return { kind: 'again', atMs: deps.clock.nowMs() + judgement.waitMs, change: changeOf(row, 'retry', attempt) };
}

/** Nothing is put off or cancelled on what was known a moment ago: it may have been enabled since. */
async function recipientOf({ signing, webhooks }: DeliverDeps, webhookId: string): Promise<Signing | null> {
  const known = await signing(webhookId);
  return known?.status === 'ACTIVE' ? known : webhooks.signing(webhookId);
}

interface Shipment {
  readonly webhook: Signing;
  readonly row: WebhookDelivery;
  readonly body: Buffer;
  readonly atMs: number;
}

/** The address is judged as it stands now: what the deployment allows may have changed since it was registered. */
async function send(
  { judgeUrl, client }: DeliverDeps,
  { webhook, row, body, atMs }: Shipment,
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
  });
  const result = await client.post({ target: verdict.target, headers, body, timeoutMs: DELIVERY_TIMEOUT_MS, signal });
  // The process stops, or another one has the row: no fault of the receiver's, and no attempt.
  if ('failure' in result && result.failure === 'aborted') throw new Error('a delivery was broken off');
  return result;
}

function attemptOf(result: SendResult): Pick<DeliveryAttempt, 'status' | 'error'> {
  if ('failure' in result) return { error: result.failure };
  const { status } = result;
  return isSuccess(status) ? { status } : { status, error: 'status' satisfies DeliveryError };
}

/**
 * Health, and what follows from it. A note that cannot be taken changes nothing of the delivery: the next attempt notes as
 * well, and nothing is suspended without its exception, which the same write opens.
 */
async function note(
  { webhooks, logger }: DeliverDeps,
  { webhook_id, trigger }: WebhookDelivery,
  { kind }: Judgement,
  at: Date,
): Promise<void> {
  if (trigger === 'TEST') return;
  try {
    if (kind === 'delivered') return await webhooks.noteSuccess(webhook_id, at);
    const health = await webhooks.noteFailure(webhook_id, at);
    if (kind === 'gone') await webhooks.suspend(webhook_id, 'GONE');
    else if (health !== null && hasFailedForTooLong(health, at.getTime())) {
      await webhooks.suspend(webhook_id, 'FAILING');
    } else if (health !== null && isToBeWarned(health, at.getTime())) await webhooks.warn(webhook_id, at);
  } catch (error) {
    logger.warn({ ...describeUnexpected(error), webhook_id }, 'how a receiver fares could not be noted');
  }
}

const ended = (row: WebhookDelivery, action: DeliveryAction, attempt?: DeliveryAttempt): Outcome => ({
  kind: 'done',
  change: changeOf(row, action, attempt),
});

function changeOf(row: WebhookDelivery, action: DeliveryAction, attempt?: DeliveryAttempt) {
  const status = transition(DELIVERY_MACHINE, row.status, action).to;
  return attempt === undefined
    ? { set: { status } }
    : { set: { status, attempt: row.attempt + 1 }, push: { attempts: attempt } };
}

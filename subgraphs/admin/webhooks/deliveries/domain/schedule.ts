import type { DeliveryAttempt, DeliveryTrigger } from './delivery.js';

// Schedule of retries (specification "Webhook delivery", "Limits"; api.md section 7).

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first to the fifth failure; the sixth is final. No jitter: the waits are published. */
const RETRY_WAITS_MS = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS] as const;

/** Longest wait that a receiver can request: the sixth of the published waits. */
const LONGEST_WAIT_MS = 12 * HOUR_MS;

/** Time limit from the name lookup to the last byte of the answer. */
export const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;

const GONE = 410;

/** Failures in addition to those of the transport (shared/http/safe-connect/send-failure.ts). */
export type DeliveryError = 'status' | 'message_gone';

export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'failed' }
  /** The receiver wants no further deliveries. */
  | { readonly kind: 'gone' };

interface AttemptInput {
  readonly attempt: Pick<DeliveryAttempt, 'status' | 'error'>;
  /** Attempts, including this one. */
  readonly attempts: number;
  readonly trigger: DeliveryTrigger;
  /** Wait that the receiver requests, or null. */
  readonly retryAfterMs: number | null;
}

/** Decides the outcome of an attempt. A test has one attempt, because its sender reads the result. */
export function outcomeOf({ attempt, attempts, trigger, retryAfterMs }: AttemptInput): AttemptOutcome {
  if (attempt.error === undefined) return { kind: 'delivered' };
  if (attempt.status === GONE) return { kind: 'gone' };
  const waitMs = RETRY_WAITS_MS[attempts - 1];
  if (waitMs === undefined || trigger === 'TEST') return { kind: 'failed' };
  return { kind: 'retry', waitMs: Math.max(waitMs, Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS)) };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Retry-After as seconds or as a date (RFC 9110 section 10.2.3); null for anything else. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  // The three forms of an HTTP date begin with the name of a day.
  const atMs = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

import type { DeliveryAttempt, DeliveryTrigger } from './webhook-delivery.js';

// When a delivery is tried again (specification "Webhook delivery", "Limits"; api.md section 7).

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first to the fifth failure; the sixth is the last. No jitter: the waits are published. */
export const RETRY_WAITS_MS = [30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS] as const;
export const MOST_ATTEMPTS = RETRY_WAITS_MS.length + 1;

/** The sixth of the published waits: no wait that a receiver asks for is longer. */
export const LONGEST_WAIT_MS = 12 * HOUR_MS;

/** From the first name looked up to the last byte of the answer. */
export const DELIVERY_TIMEOUT_MS = 10 * SECOND_MS;

const GONE = 410;

/** Why an attempt failed, beside what the transport says (shared/http/safe-connect/send-failure.ts). */
export type DeliveryError = 'status' | 'message_gone';

export type Judgement =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'failed' }
  /** The receiver wants nothing more, ever. */
  | { readonly kind: 'gone' };

export interface Judged {
  readonly attempt: Pick<DeliveryAttempt, 'status' | 'error'>;
  /** This one included. */
  readonly attempts: number;
  readonly trigger: DeliveryTrigger;
  /** Asked for by the receiver. */
  readonly retryAfterMs: number | null;
}

/** What follows from an attempt. A test is tried once: whoever sent it looks at what came of it. */
export function judgeAttempt({ attempt, attempts, trigger, retryAfterMs }: Judged): Judgement {
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

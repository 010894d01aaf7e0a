import { createHmac, timingSafeEqual } from 'node:crypto';
import { nowMs } from './runtime.js';
import type { operations, webhooks } from './schema.js';

type OperationOf<Kind extends keyof webhooks> = operations[`webhook.${Kind}`];

/** The body of a delivery, by its `type`. */
export type WebhookDelivery = {
  [Kind in keyof webhooks]: OperationOf<Kind>['requestBody']['content']['application/json'];
}[keyof webhooks];

/** The headers of a request: those of `node:http`, or a `Headers` object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookRequest {
  /** `whsec_…`, as the service returned it; during a rotation give both. */
  readonly secret: string | readonly string[];
  readonly headers: WebhookHeaders;
  /** The body as it came: a body that was parsed and written again has other bytes. */
  readonly body: string | Uint8Array;
  /** How far `webhook-timestamp` may be off, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
  /** The receiver's clock, in seconds since 1970. */
  readonly nowSeconds?: number;
}

/** The delivery is not genuine, or not fresh. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: 'SECRET' | 'HEADERS' | 'STALE' | 'SIGNATURE' | 'BODY';

  constructor(reason: WebhookError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const DEFAULT_TOLERANCE_SECONDS = 5 * 60;
/** The least of the Standard Webhooks convention. Anybody could sign with the empty key of a setting that is missing. */
const MIN_SECRET_BYTES = 24;

/**
 * Verifies `webhook-signature`, which covers the message's id, its time and its body (docs/webhooks.md), and returns the
 * parsed body. Process each `id` once: deliveries repeat.
 *
 * @throws WebhookError
 */
export function verifyWebhook(request: WebhookRequest): WebhookDelivery {
  const { headers, body, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, nowSeconds = nowMs() / 1_000 } = request;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('HEADERS', 'webhook-timestamp is not a number.');
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookError('STALE', `webhook-timestamp is more than ${toleranceSeconds} s off.`);
  }
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret;
  const expected = secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.`, body));
  if (!signatures.some((given) => expected.some((one) => isSame(given, one)))) {
    throw new WebhookError('SIGNATURE', 'No signature matches the body and a secret.');
  }
  return parsed(body);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : fieldOf(headers, name);
  if (!value) throw new WebhookError('HEADERS', `The header ${name} is missing.`);
  return value;
}

function fieldOf(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'object' ? value.join(' ') : value;
}

function signatureOf(secret: string, prefix: string, body: string | Uint8Array): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < MIN_SECRET_BYTES)
    throw new WebhookError('SECRET', 'The secret is missing or not the whole whsec_….');
  return `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function parsed(body: string | Uint8Array): WebhookDelivery {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    throw new WebhookError('BODY', 'The body is not JSON.');
  }
}

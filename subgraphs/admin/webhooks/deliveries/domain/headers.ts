import { hmacSha256 } from '../../../../../shared/crypto/hash.js';

// Headers by which a receiver verifies a delivery (specification "Webhook delivery"; standard-webhooks/standard-webhooks 1.0.0).

const SECRET_PREFIX = 'whsec_';

interface SignedWith {
  readonly secret: string;
  /** Newest first. */
  readonly previous: readonly { readonly secret: string; readonly until: Date }[];
}

interface HeaderInput {
  readonly webhookId: string;
  readonly messageId: string;
  /** The event kind. */
  readonly type: string;
  readonly attempt: number;
  readonly body: Uint8Array;
  readonly atMs: number;
  /** Secret of the published signature; the current one by default. */
  readonly signedBy?: string;
}

/** Former secrets that are still valid, newest first. */
const liveSecrets = ({ previous }: Pick<SignedWith, 'previous'>, atMs: number): readonly string[] =>
  previous.filter(({ until }) => until.getTime() > atMs).map(({ secret }) => secret);

/**
 * Returns the former secret for a second request of an attempt, if one is valid. Of several, each has its turn: a receiver
 * may know any of them.
 *
 * @param attempt from 1
 */
export function formerSecret(signed: Pick<SignedWith, 'previous'>, attempt: number, atMs: number): string | undefined {
  const live = liveSecrets(signed, atMs);
  return live.length === 0 ? undefined : live[(attempt - 1) % live.length];
}

/**
 * Returns names and values alternately. The published signature covers the body, is keyed with the bytes of the secret string, and
 * is the same on every attempt; for 15 minutes after a rotation a signature by the former secret is added. The convention's
 * signature covers the time of the attempt and is keyed with the bytes that the secret encodes.
 */
export function deliveryHeaders(
  { secret, previous }: SignedWith,
  { webhookId, messageId, type, attempt, body, atMs, signedBy = secret }: HeaderInput,
): readonly string[] {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signed = Buffer.concat([Buffer.from(`${messageId}.${timestamp}.`), body]);
  const live = liveSecrets({ previous }, atMs);
  const former = live.map((each) => published(each, body));
  return [
    'content-type',
    'application/json; charset=utf-8',
    'user-agent',
    'Evidentiary-Audit-Service-Webhooks/1',
    'X-Service-Webhook-Id',
    webhookId,
    'X-Service-Signature',
    published(signedBy, body),
    ...(former.length === 0 ? [] : ['X-Service-Signature-Previous', former.join(', ')]),
    'X-Service-Event',
    type,
    'X-Service-Attempt',
    String(attempt),
    'webhook-id',
    messageId,
    'webhook-timestamp',
    timestamp,
    'webhook-signature',
    [secret, ...live].map((each) => standard(each, signed)).join(' '),
  ];
}

const published = (secret: string, body: Uint8Array): string => `v1=${hmacSha256(secret, body).toString('hex')}`;

const standard = (secret: string, signed: Uint8Array): string => {
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
  return `v1,${hmacSha256(key, signed).toString('base64')}`;
};

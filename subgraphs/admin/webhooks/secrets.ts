import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Randomness } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import type { FormerSecret, WebhookRecord } from './ports.js';
import { changeWebhook, stepOf } from './steps.js';
import type { WebhookDeps, WithSecret } from './webhooks.js';

const SECRET_BYTES = 32;
/** Prefix of secrets in the Standard Webhooks convention; base64 follows. */
const SECRET_PREFIX = 'whsec_';

/** Specification "Secret rotation": the previous secret stays valid for 15 minutes. */
const SECRET_OVERLAP_MS = 15 * 60 * 1000;
/** Former secrets valid at one time; each adds a signature to every delivery. */
const MAX_FORMER_SECRETS = 3;

export const makeSecret = (randomness: Randomness): string =>
  SECRET_PREFIX + Buffer.from(randomness.fill(new Uint8Array(SECRET_BYTES))).toString('base64');

interface SecretDeps {
  readonly masterKey: MasterKey;
  /** True randomness even for a repeated request: one nonce must not seal two secrets. */
  readonly randomness: Randomness;
}

type Place = Pick<WebhookRecord, 'tenant_id' | 'webhook_id'>;

/** The wrapping context binds a secret to its webhook. */
const placeOf = ({ tenant_id, webhook_id }: Place): string => `webhook:${tenant_id}:${webhook_id}`;

export const wrapSecret = ({ masterKey, randomness }: SecretDeps, place: Place, secret: string): string =>
  masterKey.wrap(Buffer.from(secret), placeOf(place), randomness).toString('base64');

export const unwrapSecret = (masterKey: MasterKey, place: Place, wrapped: string): string =>
  masterKey.unwrap(Buffer.from(wrapped, 'base64'), placeOf(place)).toString('utf8');

/** Returns the former secrets that still sign at this time. */
const liveSecrets = (former: readonly FormerSecret[], atMs: number): readonly FormerSecret[] =>
  former.filter(({ until }) => until.getTime() > atMs);

const MS_PER_SECOND = 1_000;

/**
 * Replaces the secret; the former one still signs for 15 minutes (specification "Secret rotation"). Erases expired former
 * secrets.
 *
 * @throws NOT_FOUND, CONFLICT while too many former secrets are valid
 */
export async function rotateWebhookSecret(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WithSecret> {
  const secret = makeSecret(forWork(deps, context, 'rotate-webhook-secret').randomness);
  const webhook = await changeWebhook(deps, context, webhookId, (current, at) => {
    // The same request has run before.
    if (isDone(deps, context, current, secret)) return { steps: [] };
    const step = stepOf(current, 'rotate-secret');
    const live = liveSecrets(current.former_secrets, at.getTime());
    if (live.length >= MAX_FORMER_SECRETS) throw tooManySecrets(live.at(-1)?.until ?? at, at);
    const until = new Date(at.getTime() + SECRET_OVERLAP_MS);
    return {
      steps: [step],
      set: {
        wrapped_secret: wrapSecret(deps, current, secret),
        former_secrets: [{ wrapped: current.wrapped_secret, until }, ...live],
      },
      more: () => ({ former_secrets_until: isoTime(until.getTime()), former_secrets: live.length + 1 }),
    };
  });
  return { webhook, secret };
}

const isDone = (
  deps: Pick<WebhookDeps, 'masterKey'>,
  { workId }: RequestContext,
  current: WebhookRecord,
  secret: string,
): boolean => {
  if (workId === null) return false;
  const wrapped = [current.wrapped_secret, ...current.former_secrets.map((former) => former.wrapped)];
  return wrapped.some((one) => unwrapSecret(deps.masterKey, current, one) === secret);
};

const tooManySecrets = (oldestUntil: Date, at: Date) =>
  problem('CONFLICT', {
    message: `${MAX_FORMER_SECRETS} former secrets are still valid; rotate again when the oldest of them has expired.`,
    retryAfterSeconds: Math.ceil((oldestUntil.getTime() - at.getTime()) / MS_PER_SECOND),
  });

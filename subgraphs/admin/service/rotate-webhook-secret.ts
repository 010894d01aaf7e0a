import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { forWork } from '../../../shared/ids/work.js';
import type { WebhookDeps, WithSecret } from './change-webhook.js';
import type { WebhookRecord } from './ports/webhook-store.js';
import {
  liveSecrets,
  MOST_FORMER_SECRETS,
  makeSecret,
  SECRET_OVERLAP_MS,
  unwrapSecret,
  wrapSecret,
} from './webhook-secret.js';
import { changeWebhook, stepOf } from './webhook-steps.js';

const MS_PER_SECOND = 1_000;

/**
 * A new secret at once; the former one signs beside it for 15 minutes (specification "Secret rotation"). Former secrets
 * whose time is over are erased. @throws NOT_FOUND, CONFLICT while too many former secrets are valid
 */
export async function rotateWebhookSecret(
  deps: WebhookDeps,
  context: RequestContext,
  webhookId: string,
): Promise<WithSecret> {
  const secret = makeSecret(forWork(deps, context, 'rotate-webhook-secret').randomness);
  const webhook = await changeWebhook(deps, context, webhookId, (standing, at) => {
    // The same request, run again after its answer was lost.
    if (isDone(deps, context, standing, secret)) return { steps: [], set: {}, more: () => ({}) };
    const step = stepOf(standing, 'rotate-secret');
    const live = liveSecrets(standing.former_secrets, at.getTime());
    if (live.length >= MOST_FORMER_SECRETS) throw tooManySecrets(live.at(-1)?.until ?? at, at);
    const until = new Date(at.getTime() + SECRET_OVERLAP_MS);
    return {
      steps: [step],
      set: {
        wrapped_secret: wrapSecret(deps, standing, secret),
        former_secrets: [{ wrapped: standing.wrapped_secret, until }, ...live],
      },
      more: () => ({ former_secrets_until: isoTime(until.getTime()), former_secrets: live.length + 1 }),
    };
  });
  return { webhook, secret };
}

const isDone = (
  deps: Pick<WebhookDeps, 'masterKey'>,
  { workId }: RequestContext,
  standing: WebhookRecord,
  secret: string,
): boolean => {
  if (workId === null) return false;
  const wrapped = [standing.wrapped_secret, ...standing.former_secrets.map((former) => former.wrapped)];
  return wrapped.some((one) => unwrapSecret(deps.masterKey, standing, one) === secret);
};

const tooManySecrets = (oldestUntil: Date, at: Date) =>
  problem('CONFLICT', {
    message: `${MOST_FORMER_SECRETS} former secrets are still valid; rotate again when the oldest of them is over.`,
    retryAfterSeconds: Math.ceil((oldestUntil.getTime() - at.getTime()) / MS_PER_SECOND),
  });

import type { SharedBundle, SharedBundles } from '../../shared/contracts/bundles.js';
import type { SharedNotice, SharedNotices } from '../../shared/contracts/holds.js';
import { problem } from '../../shared/errors/problem.js';
import type { FailedLogins } from '../../shared/limits/failed-logins.js';
import type { RateLimits } from '../../shared/limits/rate-limits.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';

/** Enough for a download in parts. A link has no tenant's key, so its requests do not count for the tenant's limit. */
const REQUESTS_PER_MINUTE = 120;

interface SharedTokensDeps {
  readonly sharedBundles: SharedBundles;
  readonly sharedNotices: SharedNotices;
  readonly failedLogins: FailedLogins;
  readonly limits: RateLimits;
  readonly metrics: Pick<Metrics, 'limited'>;
}

/**
 * Tokens of links for parties without a key. An address with too many tokens or keys that open nothing is rejected before the
 * look-up, except for tokens that were valid here before.
 */
export interface SharedTokens {
  /** Returns the archive. @throws NOT_FOUND with one text for every reason, RATE_LIMITED, FORBIDDEN if it is outdated */
  open(token: string, address: string): Promise<SharedBundle>;
  /** Returns the notice. @throws NOT_FOUND with one text for every reason, RATE_LIMITED */
  notice(token: string, address: string): Promise<SharedNotice>;
  /** Acknowledges the notice under a typed name. @throws NOT_FOUND, INVALID_TRANSITION */
  acknowledge(token: string, name: string, requestId: string): Promise<SharedNotice>;
  /** Counts one answer with bytes. @throws NOT_FOUND */
  count(token: string): Promise<void>;
}

export function sharedTokens(deps: SharedTokensDeps): SharedTokens {
  const { sharedBundles, sharedNotices } = deps;
  return {
    open: (token, address) =>
      opened(
        deps,
        { token, address },
        () => sharedBundles.open(token),
        ({ link_id }) => link_id,
      ),
    async count(token) {
      if (!(await sharedBundles.countDownload(token))) throw opensNothing();
    },
    notice: (token, address) =>
      opened(
        deps,
        { token, address },
        () => sharedNotices.open(token),
        ({ notice_id }) => notice_id,
      ),
    async acknowledge(token, name, requestId) {
      const done = await sharedNotices.acknowledge(token, name, requestId);
      if (done === null) throw opensNothing();
      return done;
    },
  };
}

interface Presented {
  readonly token: string;
  readonly address: string;
}

async function opened<T>(
  { failedLogins, limits, metrics }: SharedTokensDeps,
  { token, address }: Presented,
  open: () => Promise<T | null>,
  idOf: (found: T) => string,
): Promise<T> {
  const blockedSeconds = failedLogins.waitSeconds(address);
  if (blockedSeconds !== null && !failedLogins.isProven(token)) {
    metrics.limited('address');
    const message = 'Too many invalid links came from this address.';
    throw problem('RATE_LIMITED', { message, retryAfterSeconds: blockedSeconds });
  }
  const found = await open();
  if (found === null) {
    failedLogins.note(address);
    throw opensNothing();
  }
  failedLogins.prove(idOf(found), token);
  const { retryAfterSeconds } = await limits.take(idOf(found), REQUESTS_PER_MINUTE);
  if (retryAfterSeconds === null) return found;
  metrics.limited('address');
  throw problem('RATE_LIMITED', { retryAfterSeconds });
}

const opensNothing = () =>
  problem('NOT_FOUND', { message: 'This link does not exist or is no longer valid. Ask the sender for a new one.' });

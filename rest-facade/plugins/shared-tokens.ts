import type { SharedBundle, SharedBundles } from '../../shared/contracts/bundles.js';
import { problem } from '../../shared/errors/problem.js';
import type { FailedLogins } from '../../shared/limits/failed-logins.js';
import type { RateLimits } from '../../shared/limits/rate-limits.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';

/** Enough for a download in parts; a link has no tenant's key, so its requests leave the tenant's limit alone. */
const REQUESTS_PER_MINUTE = 120;

interface SharedTokensDeps {
  readonly sharedBundles: SharedBundles;
  readonly failedLogins: FailedLogins;
  readonly limits: RateLimits;
  readonly metrics: Pick<Metrics, 'limited'>;
}

/** Tokens of links for parties without a key. */
export interface SharedTokens {
  /**
   * Returns the archive that a token opens. An address with too many tokens or keys that open nothing is rejected before the
   * look-up, except for tokens that were valid here before.
   *
   * @throws NOT_FOUND with one text for every reason, RATE_LIMITED, FORBIDDEN for an outdated archive
   */
  open(token: string, address: string): Promise<SharedBundle>;
  /** Counts one answer with bytes. @throws NOT_FOUND */
  count(token: string): Promise<void>;
}

export const sharedTokens = ({ sharedBundles, failedLogins, limits, metrics }: SharedTokensDeps): SharedTokens => ({
  async open(token, address) {
    const retryAfterSeconds = failedLogins.waitSeconds(address);
    if (retryAfterSeconds !== null && !failedLogins.isProven(token)) {
      metrics.limited('address');
      throw problem('RATE_LIMITED', { message: 'Too many invalid links came from this address.', retryAfterSeconds });
    }
    const found = await sharedBundles.open(token);
    if (found === null) {
      failedLogins.note(address);
      throw opensNothing();
    }
    failedLogins.prove(found.link_id, token);
    const decision = await limits.take(found.link_id, REQUESTS_PER_MINUTE);
    if (decision.retryAfterSeconds !== null) {
      metrics.limited('address');
      throw problem('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
    }
    return found;
  },
  async count(token) {
    if (!(await sharedBundles.countDownload(token))) throw opensNothing();
  },
});

const opensNothing = () =>
  problem('NOT_FOUND', { message: 'This link does not exist or is no longer valid. Ask the sender for a new one.' });

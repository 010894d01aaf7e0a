import type { Clock } from '../clock/clock.js';
import { problem } from '../errors/problem.js';
import type { RequestContext } from './context.js';

/** A session does sensitive acts for this long after its sign-in: a screen that was left open is not enough. */
export const FRESH_SIGN_IN_MS = 15 * 60_000;

/**
 * Checks that a session was opened a short time ago. Signing in again opens a new one. API keys are not asked: each of
 * their requests proves the key.
 *
 * @throws STEP_UP_REQUIRED
 */
export function requireFreshSignIn(
  { principal }: Pick<RequestContext, 'principal'>,
  clock: Pick<Clock, 'nowMs'>,
): void {
  if (principal.sessionId === undefined) return;
  if (clock.nowMs() - (principal.signedInAtMs ?? 0) <= FRESH_SIGN_IN_MS) return;
  throw problem('STEP_UP_REQUIRED', {
    message: 'Sign in again, then repeat this: the sign-in is more than 15 minutes old.',
  });
}

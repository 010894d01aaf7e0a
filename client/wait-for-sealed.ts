import type { ApiClient } from './client.js';
import { unwrap } from './errors.js';
import { nowMs, wait } from './runtime.js';
import type { components } from './schema.js';

export type Bundle = components['schemas']['Bundle'];

export interface WaitOptions {
  /** How long the build may take. Default 15 minutes. */
  readonly timeoutMs?: number;
  /** The first wait between two looks; each is half as long again, up to 10 s. Default 500. */
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
}

/** The service could not build the bundle; `bundle.failure` says why. */
export class BundleFailedError extends Error {
  override readonly name = 'BundleFailedError';
  readonly bundle: Bundle;

  constructor(bundle: Bundle) {
    const { code = 'UNKNOWN', message = '' } = bundle.failure ?? {};
    super(`The bundle ${bundle.bundle_id} was not built: ${code}. ${message}`);
    this.bundle = bundle;
  }
}

/** The bundle is still being built; a later call may wait on. */
export class BundleTimeoutError extends Error {
  override readonly name = 'BundleTimeoutError';
  readonly bundle: Bundle;

  constructor(bundle: Bundle, timeoutMs: number) {
    super(`The bundle ${bundle.bundle_id} is not sealed after ${timeoutMs} ms.`);
    this.bundle = bundle;
  }
}

const DEFAULT_TIMEOUT_MS = 15 * 60 * 1_000;
const DEFAULT_POLL_MS = 500;
const MAX_POLL_MS = 10_000;

/**
 * Polls a bundle until it is sealed.
 *
 * @returns the sealed bundle.
 * @throws BundleFailedError, BundleTimeoutError, ApiError
 */
export async function waitForSealed(
  client: ApiClient,
  bundleId: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, pollMs = DEFAULT_POLL_MS, signal }: WaitOptions = {},
): Promise<Bundle> {
  const endMs = nowMs() + timeoutMs;
  for (let betweenMs = pollMs; ; betweenMs = Math.min(MAX_POLL_MS, betweenMs * 1.5)) {
    const bundle = await unwrap(
      client.GET('/v1/bundles/{id}', { params: { path: { id: bundleId } }, ...(signal ? { signal } : {}) }),
    );
    if (bundle.status === 'SEALED') return bundle;
    if (bundle.status === 'FAILED') throw new BundleFailedError(bundle);
    const leftMs = endMs - nowMs();
    if (leftMs <= 0) throw new BundleTimeoutError(bundle, timeoutMs);
    await wait(Math.min(betweenMs, leftMs), signal);
  }
}

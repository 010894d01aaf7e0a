import { Problem } from '../../../shared/errors/problem.js';

/** A build that failed for good: someone must change something before it can succeed. */
class BuildFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BuildFailure';
    this.code = code;
  }
}

export const tooLarge = (most: number): BuildFailure =>
  new BuildFailure('BUNDLE_TOO_LARGE', `More than ${most} events are in the scope; narrow the time window.`);

export const notMinimal = (): BuildFailure =>
  new BuildFailure(
    'NOT_MINIMAL',
    'An event of the scope is redacted or disposed of, which only proofs can show; request the full profile.',
  );

export const unexplainedDisposal = (): BuildFailure =>
  new BuildFailure(
    'DISPOSAL_UNEXPLAINED',
    'A record of the scope is missing without a disposal entry in the ledger; verify the ledger.',
  );

const DAMAGED = 'Evidence in the scope is damaged or missing; see the open exception.';

/** Returns the permanent failure, or null for an error after which the build is retried. */
export function failureOf(error: unknown): BuildFailure | null {
  if (error instanceof BuildFailure) return error;
  if (!(error instanceof Problem)) return null;
  // A document's content that is missing from the write-once store counts as damaged.
  if (error.code === 'INTEGRITY_FAILURE' || error.code === 'NOT_FOUND') {
    return new BuildFailure('INTEGRITY_FAILURE', DAMAGED, error);
  }
  return null;
}

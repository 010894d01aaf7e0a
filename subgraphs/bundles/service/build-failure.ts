import { Problem } from '../../../shared/errors/problem.js';

/** Why a build ended for good; a person must change something before it can be built again. */
export class BuildFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BuildFailure';
    this.code = code;
  }
}

export const tooLarge = (most: number): BuildFailure =>
  new BuildFailure('BUNDLE_TOO_LARGE', `More than ${most} events are in the scope: narrow its window.`);

export const notMinimal = (): BuildFailure =>
  new BuildFailure(
    'NOT_MINIMAL',
    'An event of the scope is redacted or disposed of, which only its proofs can show: ask for the full profile.',
  );

export const unexplainedDisposal = (): BuildFailure =>
  new BuildFailure(
    'DISPOSAL_UNEXPLAINED',
    'A record of the scope is gone, and no entry of the ledger accounts for it: verify the ledger.',
  );

const DAMAGED = 'Evidence in the scope is damaged or missing; an exception names it.';

/** What will not pass by itself is a failure; anything else is thrown again, and the build is tried again. */
export function failureOf(error: unknown): BuildFailure | null {
  if (error instanceof BuildFailure) return error;
  if (!(error instanceof Problem)) return null;
  // Content that a document names and the write-once store does not have is as good as damaged.
  if (error.code === 'INTEGRITY_FAILURE' || error.code === 'NOT_FOUND') {
    return new BuildFailure('INTEGRITY_FAILURE', DAMAGED, error);
  }
  return null;
}

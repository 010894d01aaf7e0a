import { fault, problem } from '../../../../shared/errors/problem.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';

/** @param path where it stands in the body. @throws VALIDATION_ERROR for what is no date and time */
export function timeAt(path: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const atMs = instantOf(text);
  if (atMs !== undefined) return new Date(atMs);
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'format', 'Must be a date and a time.')] });
}

/** @throws VALIDATION_ERROR where the end is not after the start. */
export function inOrder(path: string, start: Date | null, end: Date | null): void {
  if (start === null || end === null || start < end) return;
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'period', 'Must be after the start.')] });
}

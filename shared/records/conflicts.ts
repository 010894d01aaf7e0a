import { problem } from '../errors/problem.js';

/** Concurrent writers of one record retry this often. */
const MAX_ATTEMPTS = 10;

/**
 * Reads, decides and writes again while others write between: for every compare-and-set on a revision.
 *
 * @param attempt undefined when the record changed between its read and its write.
 * @throws CONFLICT after the last attempt.
 */
export async function retryOnConflict<T>(
  noun: string,
  attempt: () => Promise<T | undefined>,
  attempts = MAX_ATTEMPTS,
): Promise<T> {
  for (let done = 0; done < attempts; done++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw problem('CONFLICT', { message: `Other requests keep changing the ${noun}; read it again and retry.` });
}

/**
 * Changes a row: reads it, decides and writes again while others write between.
 *
 * @param write the row after the change, the same row if nothing changes, or null when it changed since it was read.
 * @throws NOT_FOUND when there is no row; CONFLICT after the last attempt.
 */
export const changeRow = <Row>(
  noun: string,
  read: () => Promise<Row | null>,
  write: (current: Row) => Promise<Row | null> | Row,
): Promise<Row> =>
  retryOnConflict(noun, async () => {
    const current = await read();
    if (current === null) throw problem('NOT_FOUND');
    return (await write(current)) ?? undefined;
  });

/** @throws CONFLICT when the caller names another revision than the current one. */
export function requireRevision(
  noun: string,
  current: { readonly revision: number },
  named: number | null | undefined,
): void {
  if (named == null || named === current.revision) return;
  throw problem('CONFLICT', {
    message: `The ${noun} has revision ${current.revision}, not ${named}; read it again and retry.`,
  });
}

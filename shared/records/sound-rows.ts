import { isProblem } from '../errors/problem.js';

// Work over many records continues where one of them fails its check.

export interface SoundRows<Row> {
  readonly rows: readonly Row[];
  /** Identifiers of records that fail their check; their exceptions are open. */
  readonly damaged: readonly string[];
}

export const isIntegrityFailure = (error: unknown): boolean => isProblem(error, 'INTEGRITY_FAILURE');

/** Undefined for a row that fails its check: the part of a verification that reads all such rows names it. */
export async function sound<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isIntegrityFailure(error)) return undefined;
    throw error;
  }
}

/** Reads records together, and one by one where one of them fails its check. */
export async function soundOnly<Row>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<SoundRows<Row>> {
  try {
    return { rows: await read(ids), damaged: [] };
  } catch (error) {
    if (!isIntegrityFailure(error)) throw error;
  }
  const rows: Row[] = [];
  const damaged: string[] = [];
  for (const id of ids) {
    try {
      rows.push(...(await read([id])));
    } catch (error) {
      if (!isIntegrityFailure(error)) throw error;
      damaged.push(id);
    }
  }
  return { rows, damaged };
}

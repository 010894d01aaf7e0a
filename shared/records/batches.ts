/** Records that are compared with their facts at once. */
export const MAX_COMPARED = 500;

export function* inBatches(ids: readonly string[], size: number): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += size) yield ids.slice(from, from + size);
}

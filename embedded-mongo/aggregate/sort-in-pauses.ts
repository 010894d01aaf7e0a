import { SortedRuns } from '../compare/sorted-runs.js';

export const itemsPerPause = 128;

/** The items in order, equal ones as they came; pauses as it goes, so that others get their turn. */
export function* sortInPauses<T>(
  items: readonly T[],
  order: (a: T, b: T) => number,
): Generator<undefined, T[], undefined> {
  const runs = new SortedRuns<{ readonly item: T; readonly arrival: number }>(
    (a, b) => order(a.item, b.item) || a.arrival - b.arrival,
    undefined,
  );
  for (const [arrival, item] of items.entries()) {
    runs.add({ item, arrival });
    if (arrival % itemsPerPause === itemsPerPause - 1) yield;
  }
  while (!runs.settle()) yield;
  const sorted: T[] = [];
  for (let next = runs.next(); next; next = runs.next()) {
    if (sorted.push(next.item) % itemsPerPause === 0) yield;
  }
  return sorted;
}

import { type Withheld, withheldOf } from '../../../shared/consent/withheld.js';
import { decodeCursor, encodeCursor, type Keyset } from '../../../shared/pagination/cursor.js';
import { comparePlaces, placeOf, type TimelineEntry, type TimelinePart } from '../../../shared/timeline/entry.js';

export interface MergedTimeline {
  readonly items: readonly Omit<TimelineEntry, 'withheld'>[];
  readonly next_cursor: string | null;
  readonly withheld: Withheld | null;
}

/**
 * One page out of a page of every kind and identifier. All are read from the same place, so one place goes on for all of them;
 * none is shown beyond the nearest end of a page that has more, for what stands behind that end is not known.
 */
export function mergeTimeline(
  parts: readonly TimelinePart[],
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): MergedTimeline {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: Keyset, b: Keyset): number => sign * comparePlaces(a, b);
  const ends = parts.flatMap(({ next_cursor }) => (next_cursor === null ? [] : [decodeCursor(next_cursor)]));
  const [horizon] = ends.sort(compare);
  const entries = [...new Map(parts.flatMap(({ items }) => items).map((entry) => [entry.id, entry])).values()]
    .filter((entry) => horizon === undefined || compare(placeOf(entry), horizon) <= 0)
    .sort((a, b) => compare(placeOf(a), placeOf(b)));
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.filter(({ withheld }) => withheld === null).map(({ withheld: _, ...entry }) => entry),
    next_cursor: nextOf(entries.length > limit ? last && placeOf(last) : horizon),
    withheld: withheldOf(page.map(({ withheld }) => withheld)),
  };
}

const nextOf = (place: Keyset | undefined): string | null => (place === undefined ? null : encodeCursor(place));

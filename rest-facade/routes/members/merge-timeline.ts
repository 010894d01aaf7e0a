import { type Withheld, withheldOf } from '../../../shared/consent/withheld.js';
import { decodeCursor, encodeCursor, type Keyset } from '../../../shared/pagination/cursor.js';
import { comparePlaces, placeOf, type TimelineEntry, type TimelinePart } from '../../../shared/timeline/entry.js';

interface MergedTimeline {
  readonly items: readonly Omit<TimelineEntry, 'withheld'>[];
  readonly next_cursor: string | null;
  readonly withheld: Withheld | null;
}

/**
 * Merges a page of every kind and identifier into one page. All were read from the same cursor, so they share the next one.
 * Leaves out entries after the earliest end of an incomplete page, because entries after that end are unknown.
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

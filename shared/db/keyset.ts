import { decodeCursor } from '../pagination/cursor.js';

/** A list as it is asked for: `from` ≤ time < `to`, newest first unless `asc` (api.md section 1). */
export interface ListWindow {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly cursor?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

interface KeysetQuery {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** One more than the page holds, which shows whether there is a next page. */
  readonly fetch: number;
}

/**
 * The query of one page over (time, `_id`), where `timeField` holds a Date. Stable under inserts: a page begins after a
 * place, not after a count. @throws VALIDATION_ERROR for a cursor that is none of ours.
 */
export function keysetQuery(timeField: string, window: ListWindow): KeysetQuery {
  const [beyond, direction] = window.order === 'asc' ? (['$gt', 1] as const) : (['$lt', -1] as const);
  const conditions: Record<string, unknown>[] = [];
  if (window.fromMs !== undefined) conditions.push({ [timeField]: { $gte: new Date(window.fromMs) } });
  if (window.toMs !== undefined) conditions.push({ [timeField]: { $lt: new Date(window.toMs) } });
  if (window.cursor !== undefined) {
    const place = decodeCursor(window.cursor);
    const at = new Date(place.atMs);
    conditions.push({ $or: [{ [timeField]: { [beyond]: at } }, { [timeField]: at, _id: { [beyond]: place.id } }] });
  }
  return {
    filter: conditions.length === 0 ? {} : { $and: conditions },
    sort: { [timeField]: direction, _id: direction },
    fetch: window.limit + 1,
  };
}

/** The place of an item in a list by (time, `_id`). */
interface Place {
  readonly atMs: number;
  readonly id: string;
}

/** Orders places as a list does. Identifiers are ASCII, so that this is the order of the database. */
export const comparePlaces =
  (order: ListWindow['order']) =>
  (a: Place, b: Place): number => {
    const ascending = a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
    return order === 'asc' ? ascending : -ascending;
  };

/** True for a place that the page of the window, or a later page, shows: `keysetQuery` in memory. */
export function isInWindow(place: Place, { order, cursor, fromMs, toMs }: ListWindow): boolean {
  if (fromMs !== undefined && place.atMs < fromMs) return false;
  if (toMs !== undefined && place.atMs >= toMs) return false;
  return cursor === undefined || comparePlaces(order)(place, decodeCursor(cursor)) > 0;
}

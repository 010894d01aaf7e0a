import type { ListWindow } from '../db/keyset.js';
import { idTimeMs } from '../ids/ids.js';
import { decodeCursor, encodeCursor, type Page } from '../pagination/cursor.js';
import { inBatches, MAX_COMPARED } from './batches.js';
import { spanOfPage, type TimeSpan } from './id-span.js';
import { timeOf } from './record-document.js';

// A list of records with facts misses no record because someone edited or removed its row: a page compares every record
// of its span that it does not show. The spans of all pages cover every time.

/** Records that one page compares; a list with more of them between two items ends the page early. */
const MAX_COMPARED_A_PAGE = 2_000;

/** What a page in the order of creation is compared with. */
export interface ListedRecords<Item> {
  /** Up to `limit` identifiers of rows that were made in a span, in the order of the list, whatever else they hold. */
  readonly rowIds: (span: TimeSpan, order: ListWindow['order'], limit: number) => Promise<readonly string[]>;
  /** The identifiers, in batches, of the records with a fact that were made in a span. */
  readonly recordIds: (span: TimeSpan) => AsyncIterable<readonly string[]>;
  /** Compares records with their facts. @returns true if it has written a row @throws INTEGRITY_FAILURE */
  readonly compare: (ids: readonly string[]) => Promise<boolean>;
  /** Reads the page again. */
  readonly read: () => Promise<Page<Item>>;
  /** Time that orders the list, in ms of the epoch. */
  readonly timeOf: (item: Item) => number;
}

/**
 * Compares the records of a page's span that the page does not show.
 *
 * @returns the page, read again where the comparison has written a row that a crash had left out. It ends early, and may
 *   be empty, where more than `maxCompared` rows lie in its span.
 * @throws INTEGRITY_FAILURE
 */
export async function completePage<Item extends { readonly _id: string }>(
  window: ListWindow,
  page: Page<Item>,
  list: ListedRecords<Item>,
  maxCompared: number = MAX_COMPARED_A_PAGE,
): Promise<Page<Item>> {
  const whole = spanOfPage(window, page.next_cursor);
  const cutMs = await cutOf(whole, window.order, maxCompared + page.items.length, list);
  const shown = new Set(page.items.filter(isBefore(cutMs, window.order, list)).map(({ _id }) => _id));
  // The page before has shown it.
  if (window.cursor !== undefined) shown.add(decodeCursor(window.cursor).id);
  let hasWritten = false;
  for await (const ids of list.recordIds(cutMs === null ? whole : upTo(cutMs, whole, window.order))) {
    const others = ids.filter((id) => !shown.has(id));
    if (others.length > 0) hasWritten = (await list.compare(others)) || hasWritten;
  }
  const { items, next_cursor } = hasWritten ? await list.read() : page;
  if (cutMs === null) return { items, next_cursor };
  return { items: items.filter(isBefore(cutMs, window.order, list)), next_cursor: placeAt(cutMs, window.order) };
}

/**
 * Compares the records that facts name for a condition of a list and its rows do not. The first page does it; later pages
 * follow from it.
 *
 * @returns the page, read again where the comparison has written a row that a crash had left out.
 * @throws INTEGRITY_FAILURE
 */
export async function completeByName<Item extends { readonly _id: string }>(
  { cursor }: ListWindow,
  page: Page<Item>,
  named: readonly string[],
  {
    read,
    compare,
    listed,
  }: Pick<ListedRecords<Item>, 'read' | 'compare'> & {
    /** The records among these that meet the conditions of the list: pages to come show and compare them. */
    readonly listed: (ids: readonly string[]) => Promise<readonly string[]>;
  },
): Promise<Page<Item>> {
  if (cursor !== undefined) return page;
  const shown = new Set(page.items.map(({ _id }) => _id));
  const others = named.filter((id) => !shown.has(id));
  let hasWritten = false;
  for (const part of inBatches(others, MAX_COMPARED)) {
    const later = new Set(await listed(part));
    hasWritten = (await compare(part.filter((id) => !later.has(id)))) || hasWritten;
  }
  return hasWritten ? read() : page;
}

/** Time at which the page ends early: everything of this time is for the next page. Null for a page that is whole. */
async function cutOf<Item>(
  span: TimeSpan,
  order: ListWindow['order'],
  most: number,
  { rowIds }: ListedRecords<Item>,
): Promise<number | null> {
  const ids = await rowIds(span, order, most + 1);
  const [first, last] = [ids[0], ids[most]];
  if (first === undefined || last === undefined) return null;
  const lastMs = idTimeMs(last);
  if (lastMs !== idTimeMs(first)) return within(lastMs, span, order);
  // All of them were made in one millisecond, which no cursor divides.
  const [beyond] = await rowIds(beyondOf(lastMs, span, order), order, 1);
  return beyond === undefined ? null : within(idTimeMs(beyond), span, order);
}

/** Null for a time at which the page cannot end: someone may have added a row with an identifier of no time. */
function within(atMs: number, { fromMs, toMs }: TimeSpan, order: ListWindow['order']): number | null {
  const [begin, end] = order === 'asc' ? [fromMs, toMs] : [toMs, fromMs];
  const sign = order === 'asc' ? 1 : -1;
  const isAfterBegin = begin === null || sign * (atMs - begin) > 0;
  const isBeforeEnd = end === null || sign * (end - atMs) >= 0;
  return isAfterBegin && isBeforeEnd ? atMs : null;
}

const isBefore =
  <Item>(cutMs: number | null, order: ListWindow['order'], { timeOf }: Pick<ListedRecords<Item>, 'timeOf'>) =>
  (item: Item): boolean =>
    cutMs === null || (order === 'asc' ? timeOf(item) < cutMs : timeOf(item) > cutMs);

/** The part of a span before a time, in the order of the list. */
const upTo = (cutMs: number, { fromMs, toMs }: TimeSpan, order: ListWindow['order']): TimeSpan =>
  order === 'asc' ? { fromMs, toMs: cutMs - 1 } : { fromMs: cutMs + 1, toMs };

/** The part of a span after a time, in the order of the list. */
const beyondOf = (atMs: number, { fromMs, toMs }: TimeSpan, order: ListWindow['order']): TimeSpan =>
  order === 'asc' ? { fromMs: atMs + 1, toMs } : { fromMs, toMs: atMs - 1 };

/** It is greater than every identifier. */
const AFTER_ALL = '~';

/** The place before everything of a time, in the order of the list. */
const placeAt = (atMs: number, order: ListWindow['order']): string =>
  encodeCursor({ atMs, id: order === 'asc' ? '' : AFTER_ALL });

/** For a list that shows every row of its span: no page ends early. */
export const SHOWN: ListedRecords<never>['rowIds'] = async () => [];

export const createdAt = (document: object): number => timeOf(document, 'created_at');

/** True for a list without conditions besides its window. */
export const isOfAll = (query: Conditions, further: readonly object[]): boolean =>
  further.length === 0 && conditionsIn(query).length === 0;

/** The members that a list compares, wherever its conditions name them: `{$or: [{'scope.member_id': …}]}` names `scope`. */
export const membersConditioned = (query: Conditions, further: readonly object[]): readonly string[] => [
  ...conditionsIn(query),
  ...further.flatMap(membersNamed),
];

interface Conditions {
  readonly where: object;
}

const conditionsIn = ({ where }: Conditions): readonly string[] =>
  Object.entries(where).flatMap(([name, value]) => (value === undefined ? [] : [name]));

function membersNamed(condition: object): readonly string[] {
  return Object.entries(condition).flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.')[0] ?? name];
    return Array.isArray(value) ? value.flatMap((part: object) => membersNamed(part)) : [];
  });
}

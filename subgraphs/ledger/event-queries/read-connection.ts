import type { Withheld } from '../../../shared/consent/withheld.js';
import type { Keyset } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { EventView } from '../events/index.js';
import { type EventReader, openedOf, readMatching, type Walk } from './visible-events.js';

/** Events that one page examines at most; a page that finds too few ends there and says where the next one begins. */
const MAX_EXAMINED = 2_000;
const MIN_BATCH = 50;
/** Events that a count verifies at most. */
const MAX_COUNTED = 1_000;
const COUNT_BATCH = 200;

export interface ConnectionPage {
  readonly items: readonly EventView[];
  /** The place after which the next page begins; undefined for an empty last page. */
  readonly end: Keyset | undefined;
  readonly hasNext: boolean;
  readonly withheld?: Withheld;
}

/**
 * Reads a page of the events that meet a condition, in order of time.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readPage(
  reader: EventReader,
  walk: Walk,
  first: number,
  after: Keyset | undefined,
): Promise<ConnectionPage> {
  const found: EventView[] = [];
  let place = after;
  let examined = 0;
  for (;;) {
    const limit = Math.max(first - found.length + 1, MIN_BATCH);
    const batch = await readMatching(reader, walk, place, limit);
    found.push(...batch.views);
    place = batch.next;
    examined += batch.examined;
    if (found.length > first || place === undefined || examined >= MAX_EXAMINED) break;
  }
  const views = found.slice(0, first);
  const isCut = found.length > first;
  return {
    ...(await openedOf(reader, views)),
    end: isCut || place === undefined ? keysetOf(views.at(-1)) : place,
    hasNext: isCut || place !== undefined,
  };
}

export const keysetOf = (view: EventView | undefined): Keyset | undefined =>
  view && { atMs: instantOf(String(view['event_effective_timestamp'])) ?? 0, id: view.event_id };

export interface Count {
  readonly count: number;
  /** False if there may be more than `count`. */
  readonly exact: boolean;
}

/**
 * Counts the events that the reader may see, each one verified and opened by consent, up to a limit.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function countVisible(reader: EventReader, walk: Walk): Promise<Count> {
  let count = 0;
  let examined = 0;
  let place: Keyset | undefined;
  do {
    const batch = await readMatching(reader, walk, place, COUNT_BATCH);
    count += (await openedOf(reader, batch.views)).items.length;
    examined += batch.examined;
    place = batch.next;
  } while (place !== undefined && examined < MAX_COUNTED);
  return { count, exact: place === undefined };
}

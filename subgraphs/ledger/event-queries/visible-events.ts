import type { Withheld } from '../../../shared/consent/withheld.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import type { Keyset } from '../../../shared/pagination/cursor.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantContext } from '../append/index.js';
import type { TenantEventKeys } from '../event-keys/index.js';
import { type ConsentedReader, type EventSight, type EventView, openedItems, viewsOfRows } from '../events/index.js';
import { boundsOf, type Condition, leadsOf, matches } from './domain/index.js';
import { saidAtPlace, saidInView } from './said.js';
import { readPlaces } from './scan-places.js';

/** What one answer reads events with. */
export interface EventReader {
  readonly by: ConsentedReader;
  readonly tenant: TenantContext;
  readonly sight: EventSight;
  readonly events: TenantEventKeys;
  /** Of the client that asked; checked between batches. */
  readonly signal: AbortSignal | undefined;
}

interface Matched {
  /** Events with a visible part that meets the condition, before consent; in order. */
  readonly views: readonly EventView[];
  /** Where the next batch begins; undefined after the last one. */
  readonly next: Keyset | undefined;
  readonly examined: number;
}

export interface Walk {
  readonly condition: Condition;
  readonly ascending: boolean;
}

/**
 * Reads a batch of events that meet a condition. The index or the order of time finds candidates; the record decides.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function readMatching(
  { tenant, sight, events, signal }: EventReader,
  { condition, ascending }: Walk,
  after: Keyset | undefined,
  limit: number,
): Promise<Matched> {
  stopIfLeft(signal);
  const leads = leadsOf(condition);
  const bounds = boundsOf(condition);
  const shown = async (rows: readonly LedgerRow[]): Promise<EventView[]> =>
    (await viewsOfRows(tenant, sight, rows)).filter((view) => matches(condition, saidInView(view)));
  if (leads === null) {
    const query = { limit, ascending, ...bounds, ...(after === undefined ? {} : { after }) };
    const rows = await tenant.ledger.list(query);
    const own = rows.slice(0, limit);
    return {
      views: await shown(own),
      next: rows.length > limit ? placeOf(own.at(-1)) : undefined,
      examined: own.length,
    };
  }
  const { places, next } = await readPlaces(events, { leads, ascending, ...bounds }, after, limit);
  const likely = places.filter((place) => matches(condition, saidAtPlace(place)));
  const rows = likely.length === 0 ? [] : await events.rows(likely);
  return { views: await shown(rows), next, examined: places.length };
}

/** Rows without a time come before all others: no event happened so early. */
const NO_TIME_MS = -8.64e15;

const placeOf = (row: LedgerRow | undefined): Keyset | undefined =>
  row && { atMs: row.query?.effective_at.getTime() ?? NO_TIME_MS, id: row.event_id };

interface Opened {
  readonly items: readonly EventView[];
  readonly withheld?: Withheld;
}

/** Returns the events that consent opens for the stated purpose. */
export const openedOf = ({ by, tenant, sight }: EventReader, views: readonly EventView[]): Promise<Opened> =>
  openedItems(by, tenant, sight, views);

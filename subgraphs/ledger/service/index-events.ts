import type { Clock } from '../../../shared/clock/clock.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { isAltered, type SearchRow, searchRowOf } from '../domain/search-row.js';
import type { SearchStore, TenantSearch } from './ports/search-store.js';

type Place = LedgerRow['_id'];

/** An event that was recorded, and happened, within it is not disposed of: no retention is so short. */
const NEVER_DISPOSED_MS = 3_600_000;

export interface IndexDeps {
  readonly search: SearchStore;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Puts ledger rows of one tenant into its search index, or takes them out where nothing of them may be found. Idempotent.
 *
 * Redaction and disposal may come in between: what they took away is looked up again after the write, so that a row made
 * from an earlier state of things never stays.
 */
export async function indexRows(deps: IndexDeps, tenantId: string, rows: readonly LedgerRow[]): Promise<void> {
  const search = deps.search(tenantId);
  const ids = rows.map(({ event_id }) => event_id);
  const before = await search.hiddenOf(ids);
  await put(deps, search, rows, before);
  const after = await search.hiddenOf(ids);
  const changed = rows.filter(({ event_id }) => before.get(event_id)?.length !== after.get(event_id)?.length);
  if (changed.length > 0) await put(deps, search, changed, after);
  const old = deps.clock.nowMs() - NEVER_DISPOSED_MS;
  const aged = rows.filter((row) => mayBeDisposed(row, old)).map(({ _id }) => _id);
  if (aged.length > 0) await search.remove(await search.disposedOf(aged));
}

/** Retention counts from the record, or from when it happened: what is long past may be disposed of as soon as it is there. */
const mayBeDisposed = ({ recorded_at, query }: LedgerRow, beforeMs: number): boolean =>
  recorded_at.getTime() < beforeMs || (query?.effective_at.getTime() ?? 0) < beforeMs;

/** An altered record holds up nobody else's: it is left out, and verification names it. */
async function put(
  { logger }: IndexDeps,
  search: TenantSearch,
  rows: readonly LedgerRow[],
  hidden: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const found: SearchRow[] = [];
  const gone: Place[] = [];
  for (const row of rows) {
    const altered = isAltered(row);
    if (altered) logger.error({ event_id: row.event_id }, 'an altered record is left out of the search');
    const searchRow = altered ? undefined : searchRowOf(row, hidden.get(row.event_id));
    if (searchRow) found.push(searchRow);
    else gone.push(row._id);
  }
  await search.put(found);
  await search.remove(gone);
}

/**
 * Takes text of an event out of the search, for good: the pointers (RFC 6901, into the record; the empty one is all of it)
 * and everything below them. When it resolves no search finds the event by it nor shows it, also after a rebuild.
 */
export async function hideFromSearch(
  deps: IndexDeps,
  tenantId: string,
  event: { readonly event_id: string; readonly place: Place; readonly pointers: readonly string[] },
): Promise<void> {
  await deps.search(tenantId).hide(event);
  await refreshSearch(deps, tenantId, [event.place]);
}

/** Makes the index of these events anew from the ledger; a disposed record is gone from the search when it resolves. */
export async function refreshSearch(deps: IndexDeps, tenantId: string, places: readonly Place[]): Promise<void> {
  await indexRows(deps, tenantId, await deps.search(tenantId).ledgerRows(places));
}

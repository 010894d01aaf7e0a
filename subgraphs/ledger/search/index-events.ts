import type { Clock } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { isAltered, type LedgerRow } from '../append/domain/index.js';
import type { LedgerStore } from '../append/index.js';
import type { ConsumerCursors } from '../followers/index.js';
import { type SearchRow, searchRowOf } from './domain/row.js';
import type { SearchStore, TenantSearch } from './ports.js';

type Place = LedgerRow['_id'];

/**
 * An event that is younger than this, by record and by effective time, is not disposed of: no retention is so short.
 */
const NEVER_DISPOSED_MS = 3_600_000;

export interface IndexDeps {
  readonly search: SearchStore;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Puts ledger rows of one tenant into its search index, or removes rows without findable content. Idempotent.
 *
 * Redaction and disposal may run concurrently: they are looked up again after the write, so that no outdated row stays.
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

/** Retention counts from the record or from the effective time: an old event may be disposed of at once. */
const mayBeDisposed = ({ recorded_at, query }: LedgerRow, beforeMs: number): boolean =>
  recorded_at.getTime() < beforeMs || (query?.effective_at.getTime() ?? 0) < beforeMs;

/** Skips an altered record, so that it delays no other; verification reports it. */
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
    if (altered) logger.error({ event_id: row.event_id }, 'an altered record was not indexed');
    const searchRow = altered ? undefined : searchRowOf(row, hidden.get(row.event_id));
    if (searchRow) found.push(searchRow);
    else gone.push(row._id);
  }
  await search.put(found);
  await search.remove(gone);
}

/**
 * Removes texts of an event from the search for good: the pointers (RFC 6901, into the record; the empty one is the
 * whole record) and everything below them. When it resolves, no search finds or shows them, even after a rebuild.
 */
export async function hideFromSearch(
  deps: IndexDeps,
  tenantId: string,
  event: { readonly event_id: string; readonly place: Place; readonly pointers: readonly string[] },
): Promise<void> {
  await deps.search(tenantId).hide(event);
  await refreshSearch(deps, tenantId, [event.place]);
}

/** Rebuilds the index of these events from the ledger; when it resolves, disposed records are no longer found. */
export async function refreshSearch(deps: IndexDeps, tenantId: string, places: readonly Place[]): Promise<void> {
  await indexRows(deps, tenantId, await deps.search(tenantId).ledgerRows(places));
}

const LAST_SEQ = Number.MAX_SAFE_INTEGER;

interface RebuildDeps extends IndexDeps {
  readonly store: LedgerStore;
  readonly cursors: ConsumerCursors;
  readonly batchRows: number;
}

/** Reported after each chain. */
interface RebuiltChain {
  readonly tenantId: string;
  readonly sourceSystem: string;
  readonly events: number;
}

export interface RebuildReports {
  /** Called after each chain. */
  readonly report: (chain: RebuiltChain) => void;
  /** Called with the number of events indexed so far, and the number in all chains at the start. */
  readonly indexed: (events: number, total: number) => void;
}

/**
 * Rebuilds the whole index from the ledger, chain by chain. A running service may index the same chains meanwhile: both
 * write the same rows. Until a chain is done, searches miss its events and report how many they miss.
 */
export async function rebuildSearch(deps: RebuildDeps, { report, indexed }: RebuildReports): Promise<void> {
  const total = await eventsIn(deps.store);
  let before = 0;
  for await (const tenantId of deps.store.tenantIds()) {
    for (const sourceSystem of await deps.store.forTenant(tenantId).sourceSystems()) {
      const events = await rebuildChain(deps, tenantId, sourceSystem, (seq) => indexed(before + seq, total));
      before += events;
      report({ tenantId, sourceSystem, events });
    }
  }
}

async function eventsIn(store: LedgerStore): Promise<number> {
  let events = 0;
  for await (const tenantId of store.tenantIds()) {
    const ledger = store.forTenant(tenantId);
    for (const sourceSystem of await ledger.sourceSystems()) events += (await ledger.head(sourceSystem))?._id.seq ?? 0;
  }
  return events;
}

async function rebuildChain(
  deps: RebuildDeps,
  tenantId: string,
  sourceSystem: string,
  indexed: (seq: number) => void,
): Promise<number> {
  const chain = { tenantId, sourceSystem };
  const ledger = deps.store.forTenant(tenantId);
  // Resets the cursor before and after: if this stops early, the consumer rebuilds the rest, and its work in between
  // does not count as done.
  await deps.cursors.reset(chain, deps.clock.nowMs());
  await deps.search(tenantId).clear(sourceSystem);
  await deps.cursors.reset(chain, deps.clock.nowMs());
  let seq = 0;
  for (;;) {
    const rows = await ledger.rows(sourceSystem, seq + 1, LAST_SEQ, deps.batchRows);
    const last = rows.at(-1);
    if (!last) break;
    await indexRows(deps, tenantId, rows);
    seq = last._id.seq;
    indexed(seq);
    await nextTurn();
  }
  await deps.cursors.advance(chain, seq);
  return seq;
}

import type { BaseDeps } from '../../../shared/contracts/deps.js';
import { mongoConsumerCursors } from '../model/consumer-cursors.js';
import { mongoLedgerStore } from '../model/ledger-repository.js';
import { SEARCH_CURSOR_COLLECTION } from '../model/search-model.js';
import { mongoSearchStore } from '../model/search-repository.js';
import { SearchResolver } from '../resolvers/search-resolver.js';
import { consumeLedger } from '../service/consume-ledger.js';
import { indexRows } from '../service/index-events.js';
import { type RebuiltChain, rebuildSearch } from '../service/rebuild-search.js';
import { SearchFreshness } from '../service/search-freshness.js';
import type { WireArea } from './parts.js';

/** Small enough that others get their turn at the database in between, large enough to share a durable write. */
const BATCH_ROWS = 200;
/** Chains indexed at once in one process: the database, not waiting, is what takes the time. */
const CONCURRENCY = 2;

/** Search over events: its index follows the ledger. */
export const wireSearch: WireArea = async ({ deps, store, contexts, appended, recent, openExceptions }) => {
  const search = mongoSearchStore(deps.database.db);
  const cursors = mongoConsumerCursors(deps.database.db, SEARCH_CURSOR_COLLECTION);
  const indexing = { search, clock: deps.clock, logger: deps.logger };
  const consumer = await consumeLedger(
    { ...deps, store, cursors, appended, recent },
    {
      name: 'ledger.search',
      description: 'Keeps the search index of events: a row is a chain, and how far it is indexed.',
      batchRows: BATCH_ROWS,
      concurrency: CONCURRENCY,
      take: ({ tenantId }, rows) => indexRows(indexing, tenantId, rows),
    },
  );
  const freshness = new SearchFreshness({ cursors, clock: deps.clock });
  return {
    resolvers: [[SearchResolver, new SearchResolver({ ...deps, search, freshness, contexts, openExceptions })]],
    close: async () => consumer.close(),
  };
};

/** Makes the search index of all events anew, beside a running service or without one. */
export function rebuildEventSearch(
  { database: { db }, clock, logger }: Pick<BaseDeps, 'database' | 'clock' | 'logger'>,
  tell: (chain: RebuiltChain) => void,
): Promise<void> {
  const deps = {
    search: mongoSearchStore(db),
    store: mongoLedgerStore(db),
    cursors: mongoConsumerCursors(db, SEARCH_CURSOR_COLLECTION),
    clock,
    logger,
    batchRows: BATCH_ROWS,
  };
  return rebuildSearch(deps, tell);
}

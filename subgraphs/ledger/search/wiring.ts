import type { BaseDeps } from '../../../shared/contracts/deps.js';
import { mongoLedgerStore } from '../append/index.js';
import { consumeLedger, mongoConsumerCursors } from '../followers/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { IndexProgress } from './freshness.js';
import { indexRows, type RebuildReports, rebuildSearch } from './index-events.js';
import { mongoSearchStore, SEARCH_CURSOR_COLLECTION } from './model.js';
import { SearchResolver } from './resolver.js';
import { SearchFacetValue, SearchHighlight, SearchMatch } from './schema.js';

/** Small enough that other work uses the database in between, large enough to share a durable write. */
const BATCH_ROWS = 200;
/** Chains that one process indexes at once: the database is the bottleneck, not waiting. */
const CONCURRENCY = 2;

const wire: WireArea = async ({ deps, store, contexts, appended, recent, openExceptions, rowProofs }) => {
  const search = mongoSearchStore(deps.database.db);
  const cursors = mongoConsumerCursors(deps.database.db, SEARCH_CURSOR_COLLECTION);
  const indexing = { search, clock: deps.clock, logger: deps.logger };
  const consumer = await consumeLedger(
    { ...deps, store, cursors, appended, recent },
    {
      name: 'ledger.search',
      description: 'Updates the search index of events: a row holds the progress on one chain.',
      batchRows: BATCH_ROWS,
      concurrency: CONCURRENCY,
      take: ({ tenantId }, rows) => indexRows(indexing, tenantId, rows),
    },
  );
  const freshness = new IndexProgress({ cursors, clock: deps.clock });
  return {
    resolvers: [new SearchResolver({ ...deps, search, freshness, contexts, openExceptions, rowProofs })],
    close: async () => consumer.close(),
  };
};

/** Search over events; its index follows the ledger. */
export const searchArea: LedgerArea = {
  resolvers: [SearchResolver],
  contractTypes: [SearchMatch, SearchHighlight, SearchFacetValue],
  wire,
};

/** Rebuilds the search index of all events, with or without a running service. */
export function rebuildEventSearch(
  { database: { db }, clock, logger }: Pick<BaseDeps, 'database' | 'clock' | 'logger'>,
  reports: RebuildReports,
): Promise<void> {
  const deps = {
    search: mongoSearchStore(db),
    store: mongoLedgerStore(db),
    cursors: mongoConsumerCursors(db, SEARCH_CURSOR_COLLECTION),
    clock,
    logger,
    batchRows: BATCH_ROWS,
  };
  return rebuildSearch(deps, reports);
}

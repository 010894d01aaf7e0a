import type { Database } from '../../shared/db/database.js';
import { createIndexes } from '../../shared/records/collections.js';
import { AI_DECISIONS } from './ai-decisions/index.js';
import { LEDGER, NOTICES } from './append/index.js';
import { CONNECTORS } from './connectors/index.js';
import { EXCEPTIONS } from './exceptions/index.js';
import { INGESTS } from './ingest/index.js';
import { LINKS } from './links/index.js';
import { SEARCH } from './search/index.js';
import { FEEDS } from './source-feeds/index.js';
import { CHECKPOINT_STAMPS } from './time-stamps/index.js';
import { TREE_COLLECTIONS } from './transparency/index.js';

/** Creates the declared indexes; repeating it changes nothing. */
export const prepareLedgerCollections = ({ db }: Database): Promise<void> =>
  createIndexes(db, [
    LEDGER,
    NOTICES,
    EXCEPTIONS,
    AI_DECISIONS,
    SEARCH,
    ...TREE_COLLECTIONS,
    CHECKPOINT_STAMPS,
    FEEDS,
    CONNECTORS,
    LINKS,
    INGESTS,
  ]);

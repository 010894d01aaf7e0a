import type { BaseDeps } from '../../../shared/contracts/deps.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { mongoLedgerStore } from '../append/index.js';
import { exceptionResolver } from '../exceptions/index.js';
import { consumeLedger, mongoConsumerCursors } from '../followers/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { evaluateDue } from './evaluate-links.js';
import { forgetLinks, linkRows } from './link-events.js';
import { LINK_CURSOR_COLLECTION, mongoLinkStore } from './model.js';
import { LinkResolver } from './resolver.js';

const BATCH_ROWS = 200;
/** Chains linked at a time; recent appends have priority on the database. */
const CONCURRENCY = 1;
const HOUR_MS = 3_600_000;
/** Longest delay of due rows. */
const DUE_INTERVAL_MS = 60_000;

const wire: WireArea = async (parts) => {
  const { deps, store, contexts, appended, recent, openExceptions } = parts;
  const links = mongoLinkStore(deps.database.db);
  const cursors = mongoConsumerCursors(deps.database.db, LINK_CURSOR_COLLECTION);
  const judging = { ...deps, links, openExceptions, resolveException: exceptionResolver(parts) };
  const linking = { ...judging, graceMs: deps.config.linking.remittanceGraceHours * HOUR_MS };
  const consumer = await consumeLedger(
    { ...deps, store, cursors, appended, recent },
    {
      name: 'ledger.links',
      description: 'Links events by their numbers; one row per chain with its progress.',
      batchRows: BATCH_ROWS,
      concurrency: CONCURRENCY,
      wants: (sourceSystem) => !isReservedSourceSystem(sourceSystem),
      take: (chain, rows) => linkRows(linking, chain, rows),
    },
  );
  deps.jobs.recurring({
    name: 'ledger.links.due',
    description: 'Opens exceptions for remittances without a claim and for undecided prior authorizations.',
    everyMs: DUE_INTERVAL_MS,
    run: (signal) => evaluateDue(judging, signal),
  });
  return {
    resolvers: [new LinkResolver({ contexts, links })],
    close: async () => consumer.close(),
  };
};

/** Links between events, and exceptions for missing events. */
export const linksArea: LedgerArea = { resolvers: [LinkResolver], wire };

/** Requests a rebuild of all links by a running service. @returns the number of chains. */
export const forgetEventLinks = ({ database: { db }, clock }: Pick<BaseDeps, 'database' | 'clock'>): Promise<number> =>
  forgetLinks({
    store: mongoLedgerStore(db),
    cursors: mongoConsumerCursors(db, LINK_CURSOR_COLLECTION),
    links: mongoLinkStore(db),
    clock,
  });

import type { BaseDeps } from '../../../shared/contracts/deps.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import { mongoConsumerCursors } from '../model/consumer-cursors.js';
import { mongoLedgerStore } from '../model/ledger-repository.js';
import { LINK_CURSOR_COLLECTION, mongoLinkStore } from '../model/link-model.js';
import { EventEdgesResolver } from '../resolvers/event-edges-resolver.js';
import { LinkResolver } from '../resolvers/link-resolver.js';
import { consumeLedger } from '../service/consume-ledger.js';
import { forgetLinks } from '../service/forget-links.js';
import { judgeDue } from '../service/judge-due.js';
import { linkRows } from '../service/link-events.js';
import { linksOfEvent } from '../service/read-links.js';
import { exceptionResolver } from './control-numbers.js';
import type { WireArea } from './parts.js';

const BATCH_ROWS = 200;
/** Chains at work in one process: what is appended just now has the database first. */
const CONCURRENCY = 1;
const HOUR_MS = 3_600_000;
/** What is due is judged this late at most. */
const DUE_INTERVAL_MS = 60_000;

/** Which events belong together, and what is missing among them. */
export const wireLinks: WireArea = async (parts) => {
  const { deps, store, contexts, appended, recent, openExceptions } = parts;
  const links = mongoLinkStore(deps.database.db);
  const cursors = mongoConsumerCursors(deps.database.db, LINK_CURSOR_COLLECTION);
  const judging = { ...deps, links, openExceptions, resolveException: exceptionResolver(parts) };
  const linking = { ...judging, graceMs: deps.config.linking.remittanceGraceHours * HOUR_MS };
  const consumer = await consumeLedger(
    { ...deps, store, cursors, appended, recent },
    {
      name: 'ledger.links',
      description: 'Joins events by their numbers: a row is a chain, and how far it is joined.',
      batchRows: BATCH_ROWS,
      concurrency: CONCURRENCY,
      wants: (sourceSystem) => !isReservedSourceSystem(sourceSystem),
      take: (chain, rows) => linkRows(linking, chain, rows),
    },
  );
  deps.jobs.recurring({
    name: 'ledger.links.due',
    description: 'Judges remittances whose claim has not come, and prior authorizations that nobody has decided.',
    everyMs: DUE_INTERVAL_MS,
    run: (signal) => judgeDue(judging, signal),
  });
  return {
    resolvers: [
      [LinkResolver, new LinkResolver({ contexts, linksOf: linksOfEvent(links) })],
      [EventEdgesResolver, new EventEdgesResolver(links)],
    ],
    close: async () => consumer.close(),
  };
};

/** Has all links made anew, by the running service or the next one. @returns how many chains. */
export const forgetEventLinks = ({ database: { db }, clock }: Pick<BaseDeps, 'database' | 'clock'>): Promise<number> =>
  forgetLinks({
    store: mongoLedgerStore(db),
    cursors: mongoConsumerCursors(db, LINK_CURSOR_COLLECTION),
    links: mongoLinkStore(db),
    clock,
  });

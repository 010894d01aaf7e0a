import { Outbox } from '../../../shared/outbox/outbox.js';
import { appendSystemEntries } from '../append/index.js';
import { exceptionResolver } from '../exceptions/index.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { feedPerformers } from './change.js';
import { FEED_MACHINE } from './domain/states.js';
import { FEEDS, feedStore } from './model.js';
import type { FeedEffect } from './ports.js';
import { FeedResolver, feedReferences } from './resolver.js';
import { EventFeedResolver } from './resolvers/event-feed.js';
import { FEED_ROW } from './schema.js';
import { sweepAllFeeds } from './sweep.js';

/** Longest delay before a feed becomes stale, or healthy by an event. */
const SWEEP_INTERVAL_MS = 30_000;

const wire: WireArea = (parts) => {
  const { deps, contexts, ingest, openExceptions } = parts;
  const performers = feedPerformers({
    append: async (tenantId, entries) => {
      await appendSystemEntries(ingest, await contexts.of(tenantId), entries);
    },
    openExceptions,
    resolveException: exceptionResolver(parts),
  });
  const outbox = new Outbox<FeedEffect>({ ...deps, performers }, [FEEDS.name]);
  const feeds = feedStore({ db: deps.database.db, outbox }, FEED_ROW);
  const services = { ...deps, feeds, contexts };
  deps.jobs.recurring({
    name: 'ledger.feeds',
    description: 'Finds source feeds that became stale or healthy.',
    everyMs: SWEEP_INTERVAL_MS,
    run: async (signal) => {
      // Effects of earlier steps that a crash left behind come first.
      await outbox.sweep();
      await sweepAllFeeds(services, signal);
    },
  });
  return { resolvers: [new FeedResolver(services), new EventFeedResolver(services)] };
};

/** The feeds as references read them. */
const readsOf = ({ deps, contexts, outbox }: LedgerParts) => ({
  feeds: feedStore({ db: deps.database.db, outbox }, FEED_ROW),
  contexts,
});

/** Source feeds, and the sweep that finds feeds without recent events. */
export const sourceFeedsArea: LedgerArea = {
  resolvers: [FeedResolver, EventFeedResolver],
  references: { SourceFeed: (parts) => feedReferences(readsOf(parts)) },
  stateMachines: [FEED_MACHINE],
  wire,
};

import { Outbox } from '../../../shared/outbox/outbox.js';
import { FEED_COLLECTION, mongoFeedStore } from '../model/feed-model.js';
import { FeedResolver } from '../resolvers/feed-resolver.js';
import { appendSystemEntries } from '../service/append-system-entries.js';
import { feedPerformers } from '../service/feed-effects.js';
import { sweepAllFeeds } from '../service/feed-sweep.js';
import type { FeedEffect } from '../service/ports/feed-store.js';
import { exceptionResolver } from './control-numbers.js';
import type { WireArea } from './parts.js';

/** A feed that goes stale, or is heard of by an event, is told of this late at most. */
const SWEEP_INTERVAL_MS = 30_000;

/** Source feeds, and the sweep that finds those that are not heard of. */
export const wireFeeds: WireArea = (parts) => {
  const { deps, contexts, ingest, openExceptions } = parts;
  const performers = feedPerformers({
    append: async (tenantId, entries) => {
      await appendSystemEntries(ingest, await contexts.of(tenantId), entries);
    },
    openExceptions,
    resolveException: exceptionResolver(parts),
  });
  const outbox = new Outbox<FeedEffect>({ ...deps, performers }, [FEED_COLLECTION]);
  const feeds = mongoFeedStore(deps.database.db, outbox);
  const services = { ...deps, feeds, contexts };
  deps.jobs.recurring({
    name: 'ledger.feeds',
    description: 'Finds source feeds that are not heard of, and those that are again.',
    everyMs: SWEEP_INTERVAL_MS,
    run: async (signal) => {
      // What a crash kept from an earlier change comes before what is found now.
      await outbox.sweep();
      await sweepAllFeeds(services, signal);
    },
  });
  return { resolvers: [[FeedResolver, new FeedResolver(services)]] };
};

import { KnownEventsResolver } from '../resolvers/known-events-resolver.js';
import { LedgerFeedResolver } from '../resolvers/ledger-feed-resolver.js';
import { FollowerTeller } from '../service/tell-follower.js';
import type { WireArea } from './parts.js';

const TIDY_INTERVAL_MS = 60_000;

/** The ledger for those who follow it from another subgraph. */
export const wireLedgerFeed: WireArea = (parts) => {
  const { deps, contexts, appended, recent } = parts;
  const { notices, teller: duplicates } = parts.duplicates;
  const teller = new FollowerTeller(deps);
  appended.listen((tenantId, sourceSystem) => teller.grown(tenantId, sourceSystem));
  deps.jobs.recurring({
    name: 'ledger.notices',
    description: 'Removes notices of repeated events that a crash has left although they were told.',
    everyMs: TIDY_INTERVAL_MS,
    run: () => notices.removePerformed(),
  });
  return {
    resolvers: [
      [LedgerFeedResolver, new LedgerFeedResolver(contexts, recent)],
      [KnownEventsResolver, new KnownEventsResolver(contexts)],
    ],
    close: async () => {
      teller.close();
      await duplicates.settled();
    },
  };
};

import type { LedgerArea, WireArea } from '../parts.js';
import { FollowerNotifier } from './notify-followers.js';
import { LedgerFeedResolver } from './resolver.js';

const wire: WireArea = ({ deps, contexts, appended, recent }) => {
  const notifier = new FollowerNotifier(deps);
  appended.listen((tenantId, sourceSystem) => notifier.grown(tenantId, sourceSystem));
  return {
    resolvers: [new LedgerFeedResolver(contexts, recent)],
    close: async () => notifier.close(),
  };
};

/** The feed by which other subgraphs follow the ledger. */
export const followersArea: LedgerArea = { resolvers: [LedgerFeedResolver], wire };

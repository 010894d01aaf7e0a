import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { mongoGraphCursors } from '../model/graph-cursors.js';
import { mongoGraphStore } from '../model/graph-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { GraphFollowResolver } from '../resolvers/graph-follow-resolver.js';
import { GraphResolver } from '../resolvers/graph-resolver.js';
import { type FollowDeps, followQueue, GraphFollow } from '../service/graph/follow-graph.js';
import { type RebuildReport, rebuildGraph } from '../service/graph/rebuild-graph.js';
import type { MembersParts, WireArea } from './parts.js';

/** The net under what the ledger tells. */
const LOOK_EVERY_MS = 15_000;

/** What keeps the graph up, and makes it anew. */
export const graphDeps = ({ deps }: Pick<MembersParts, 'deps'>): FollowDeps => ({
  ...deps,
  graph: mongoGraphStore(deps.database.db),
  cursors: mongoGraphCursors(deps.database.db),
});

/** What connects records: kept up from the ledger, and walked. */
export const wireGraph: WireArea = async (parts) => {
  const { deps, directory, outbox } = parts;
  const following = graphDeps(parts);
  const queue = await deps.jobs.queue(followQueue(following));
  const follow = new GraphFollow(following, queue);
  deps.jobs.recurring({
    name: 'graph.look',
    description: 'Finds chains that have grown unheard, for the graph.',
    everyMs: LOOK_EVERY_MS,
    run: (signal) => follow.lookAll(signal),
  });
  const walking = { ...deps, directory, graph: following.graph, merges: mergeStore(deps.database.db, outbox) };
  return {
    resolvers: [
      [GraphResolver, new GraphResolver(walking)],
      [GraphFollowResolver, new GraphFollowResolver(follow)],
    ],
    gauges: [
      {
        name: 'graph_lag_seconds',
        help: 'Since when the chain waits that the graph is longest behind on; 0 where it is behind on none.',
        read: async () => {
          const sinceMs = await following.cursors.oldestBehindMs();
          return sinceMs === null ? 0 : Math.max(0, (deps.clock.nowMs() - sinceMs) / 1_000);
        },
      },
    ],
    close: async () => follow.close(),
  };
};

/** Makes one tenant's graph anew, and tells whether it says what the live one said. */
export const rebuildGraphOf = (deps: SubgraphDeps, tenantId: TenantId): Promise<RebuildReport> =>
  rebuildGraph(graphDeps({ deps }), tenantId);

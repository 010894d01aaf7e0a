import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { MembersArea, MembersParts } from '../parts.js';
import { type FollowDeps, followQueue, GraphFollow } from './follow-ledger.js';
import { GRAPH_CURSORS, GRAPH_RECORDS, mongoGraphCursors } from './model/cursors.js';
import { mongoGraphStore } from './model/store.js';
import { type RebuildReport, rebuildGraph } from './rebuild-graph.js';
import { GraphFollowResolver, GraphResolver } from './resolver.js';
import { GraphEdge, GraphNode } from './schema.js';

/** Interval of the scan that finds chains with a lost notification. */
const SCAN_EVERY_MS = 15_000;

const graphDeps = ({ deps }: Pick<MembersParts, 'deps'>): FollowDeps => ({
  ...deps,
  graph: mongoGraphStore(deps.database.db),
  cursors: mongoGraphCursors(deps.database.db),
});

/** The graph of records: its projection from the ledger and its reads. */
export const graphArea: MembersArea = {
  resolvers: [GraphResolver, GraphFollowResolver],
  contractTypes: [GraphNode, GraphEdge],
  collections: [GRAPH_RECORDS, GRAPH_CURSORS],
  wire: async (parts) => {
    const { deps, directory, stores } = parts;
    const following = graphDeps(parts);
    const queue = await deps.jobs.queue(followQueue(following));
    const follow = new GraphFollow(following, queue);
    deps.jobs.recurring({
      name: 'graph.look',
      description: 'Finds grown chains after a lost notification, for the graph.',
      everyMs: SCAN_EVERY_MS,
      run: (signal) => follow.scanAll(signal),
    });
    const walking = { ...deps, ...stores, directory, graph: following.graph };
    return {
      resolvers: [new GraphResolver(walking), new GraphFollowResolver(follow)],
      gauges: [
        {
          name: 'graph_lag_seconds',
          help: 'Lag of the chain that the graph is longest behind on, in seconds; 0 if it is behind on none.',
          read: async () => {
            const sinceMs = await following.cursors.oldestLagMs();
            return sinceMs === null ? 0 : Math.max(0, (deps.clock.nowMs() - sinceMs) / 1_000);
          },
        },
      ],
      close: async () => follow.close(),
    };
  },
};

/** Rebuilds one tenant's graph and compares it with the live one. */
export const rebuildGraphOf = (deps: SubgraphDeps, tenantId: TenantId): Promise<RebuildReport> =>
  rebuildGraph(graphDeps({ deps }), tenantId);

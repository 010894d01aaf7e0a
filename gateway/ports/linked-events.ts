import { internalContext } from '../../shared/auth/context.js';
import type { EventEdges, LinkedEvents } from '../../shared/contracts/event-edges.js';
import type { SubgraphClient } from '../subgraph-client.js';

const EDGES = 'query EventEdges($event_ids: [String!]!) { eventEdges(event_ids: $event_ids) }';

/**
 * Edges between events, for the graph.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that asks.
 */
export const linkedEventsOver = (ledger: SubgraphClient, caller: string): LinkedEvents => ({
  async edgesOf(tenantId, eventIds) {
    if (eventIds.length === 0) return { edges: [], truncated: false };
    const { eventEdges } = await ledger.run(EDGES, { event_ids: eventIds }, internalContext(tenantId, caller));
    return eventEdges as EventEdges;
  },
});

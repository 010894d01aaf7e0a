import { internalContext } from '../../shared/auth/context.js';
import type { RecordTies, TiedKind, TiedRecords } from '../../shared/contracts/record-ties.js';
import type { SubgraphName } from '../../shared/graph/subgraph-names.js';
import type { SubgraphClient } from '../subgraph-client.js';

/** Who keeps records of a kind, and the root field that tells of them. */
const KEPT_BY: Readonly<Record<TiedKind, { readonly subgraph: SubgraphName; readonly field: string }>> = {
  bundle: { subgraph: 'bundles', field: 'bundleTies' },
  matter: { subgraph: 'bundles', field: 'matterTies' },
  hold: { subgraph: 'vault', field: 'holdTies' },
  rule: { subgraph: 'advocacy', field: 'ruleTies' },
};

/**
 * Records that name others, for the graph.
 *
 * @param clientOf client of a subgraph.
 * @param caller the process or part that asks.
 */
export const tiedRecordsOver = (clientOf: (subgraph: SubgraphName) => SubgraphClient, caller: string): TiedRecords => ({
  async of(tenantId, kind, ids) {
    if (ids.length === 0) return [];
    const { subgraph, field } = KEPT_BY[kind];
    const query = `query RecordTies($ids: [String!]!) { ${field}(ids: $ids) }`;
    const answer = await clientOf(subgraph).run(query, { ids }, internalContext(tenantId, caller));
    return answer[field] as readonly RecordTies[];
  },
});

import { internalContext } from '../../shared/auth/context.js';
import type { HoldSummary, Holds } from '../../shared/contracts/holds.js';
import type { SubgraphClient } from '../subgraph-client.js';

const COVERING = 'query HoldsCovering($subjects: JSON!) { holdsCovering(subjects: $subjects) }';
const FACTS = 'query HoldSummaries($hold_ids: [String!]!) { holdSummaries(hold_ids: $hold_ids) }';
const OF_MATTER = 'query HoldsOfMatter($matter_id: String!) { holdsOfMatter(matter_id: $matter_id) }';

/**
 * The vault's legal holds, for the other parts of the service.
 *
 * @param vault client of the vault subgraph.
 * @param caller the process or part that asks.
 */
export const holdsOver = (vault: SubgraphClient, caller: string): Holds => ({
  async covering(tenantId, subjects) {
    if (subjects.length === 0) return new Map();
    const { holdsCovering } = await vault.run(COVERING, { subjects }, internalContext(tenantId, caller));
    return new Map(holdsCovering as readonly (readonly [string, readonly string[]])[]);
  },
  async facts(tenantId, holdIds) {
    const answer = await vault.run(FACTS, { hold_ids: holdIds }, internalContext(tenantId, caller));
    return answer['holdSummaries'] as readonly HoldSummary[];
  },
  async activeOfMatter(tenantId, matterId) {
    const { holdsOfMatter } = await vault.run(OF_MATTER, { matter_id: matterId }, internalContext(tenantId, caller));
    return holdsOfMatter as readonly string[];
  },
});

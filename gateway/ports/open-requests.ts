import { internalContext } from '../../shared/auth/context.js';
import type { OpenRequests } from '../../shared/contracts/open-requests.js';
import type { SubgraphClient } from '../subgraph-client.js';

const MEMBERS = 'query MembersUnderRequest { membersUnderRequest }';

/**
 * Members who wait for an answer, for the vault's deletions.
 *
 * @param members client of the members-graph subgraph.
 * @param caller the process or part that asks.
 */
export const openRequestsOver = (members: SubgraphClient, caller: string): OpenRequests => ({
  async memberIds(tenantId) {
    const { membersUnderRequest } = await members.run(MEMBERS, {}, internalContext(tenantId, caller));
    return membersUnderRequest as readonly string[];
  },
});

import { internalContext } from '../../shared/auth/context.js';
import type { MemberDirectory, MemberIdentity } from '../../shared/contracts/members.js';
import type { SubgraphClient } from '../subgraph-client.js';

const IDENTITY = 'query MemberIdentity($member_id: String!) { memberIdentity(member_id: $member_id) }';

/**
 * Who is one person with whom, for the other parts of the service.
 *
 * @param members client of the members-graph subgraph.
 * @param caller the process or part that asks.
 */
export const memberDirectoryOver = (members: SubgraphClient, caller: string): MemberDirectory => ({
  async identityOf(tenantId, memberId) {
    const { memberIdentity } = await members.run(IDENTITY, { member_id: memberId }, internalContext(tenantId, caller));
    return memberIdentity as MemberIdentity | null;
  },
});

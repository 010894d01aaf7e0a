import { internalContext } from '../../shared/auth/context.js';
import type { CustodyFactsPage, CustodyReads } from '../../shared/contracts/custody-reads.js';
import type { SubgraphClient } from '../subgraph-client.js';

const OF_MEMBERS = 'query MemberCustody($asked: JSON!) { memberCustody(asked: $asked) }';

/**
 * The chain of custody, for the other parts of the service.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that asks.
 */
export const custodyReadsOver = (ledger: SubgraphClient, caller: string): CustodyReads => ({
  async ofMembers(tenantId, asked) {
    const { memberCustody } = await ledger.run(OF_MEMBERS, { asked }, internalContext(tenantId, caller));
    return memberCustody as CustodyFactsPage;
  },
});

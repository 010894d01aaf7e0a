import { internalContext } from '../../shared/auth/context.js';
import type { LedgerEvents } from '../../shared/contracts/ledger-events.js';
import type { SubgraphClient } from '../subgraph-client.js';

const KNOWN = 'query KnownEvents($event_ids: [String!]!) { knownEvents(event_ids: $event_ids) }';

/**
 * Which events there are.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that asks.
 */
export const ledgerEventsOver = (ledger: SubgraphClient, caller: string): LedgerEvents => ({
  async known(tenantId, eventIds) {
    if (eventIds.length === 0) return new Set();
    const variables = { event_ids: [...eventIds] };
    const { knownEvents } = await ledger.run(KNOWN, variables, internalContext(tenantId, caller));
    return new Set(knownEvents as readonly string[]);
  },
});

import { internalContext } from '../../shared/auth/context.js';
import type { SystemLedger } from '../../shared/contracts/system-ledger.js';
import type { SubgraphClient } from '../subgraph-client.js';

const APPEND = 'mutation AppendSystemEntries($items: [JSON!]!) { appendSystemEntries(items: $items) }';

/**
 * The ledger's door for the service's own entries.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that writes through it; told in the ledger's log.
 */
export const systemLedgerOver = (ledger: SubgraphClient, caller: string): SystemLedger => ({
  async append(tenantId, entries) {
    if (entries.length === 0) return;
    await ledger.run(APPEND, { items: entries }, internalContext(tenantId, caller));
  },
});

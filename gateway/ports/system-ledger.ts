import { internalContext } from '../../shared/auth/context.js';
import { GroupedCalls } from '../../shared/clock/grouped-calls.js';
import type { SystemEntry, SystemLedger } from '../../shared/contracts/system-ledger.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { SubgraphClient } from '../subgraph-client.js';

const APPEND = 'mutation AppendSystemEntries($items: [JSON!]!) { appendSystemEntries(items: $items) }';

/**
 * The ledger's door for the service's own entries.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that writes through it; told in the ledger's log.
 */
export function systemLedgerOver(ledger: SubgraphClient, caller: string): SystemLedger {
  const append = async (tenantId: TenantId, items: readonly SystemEntry[]): Promise<void> => {
    await ledger.run(APPEND, { items }, internalContext(tenantId, caller));
  };
  const single = new GroupedCalls<SystemEntry, undefined>(async (tenantId, entries) => {
    await append(tenantId as TenantId, entries);
    return entries.map(() => undefined);
  }, MOST_TOGETHER);
  return {
    async append(tenantId, entries) {
      const [first, ...more] = entries;
      if (first === undefined) return;
      await (more.length === 0 ? single.call(tenantId, first) : append(tenantId, entries));
    },
  };
}

/** Entries that come one by one at the same time. */
const MOST_TOGETHER = 100;

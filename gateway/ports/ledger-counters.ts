import { internalContext } from '../../shared/auth/context.js';
import type { LedgerCounters, LedgerCounts } from '../../shared/contracts/ledger-counters.js';
import type { SubgraphClient } from '../subgraph-client.js';

const COUNT =
  'query CountLedger($from_ms: SafeInteger, $to_ms: SafeInteger) { countLedger(from_ms: $from_ms, to_ms: $to_ms) }';

/**
 * The ledger's counts for the dashboard. A port, and not fields of one federated type: the admin subgraph then tells one
 * contract of the whole answer, and the counts stay out of every API schema.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that asks.
 */
export const ledgerCountersOver = (ledger: SubgraphClient, caller: string): LedgerCounters => ({
  async count(tenantId, { fromMs, toMs }) {
    const variables = { from_ms: fromMs ?? null, to_ms: toMs ?? null };
    const { countLedger } = await ledger.run(COUNT, variables, internalContext(tenantId, caller));
    return countLedger as LedgerCounts;
  },
});

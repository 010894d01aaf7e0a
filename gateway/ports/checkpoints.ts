import { internalContext } from '../../shared/auth/context.js';
import type { Checkpoints, PublishedCheckpoint } from '../../shared/contracts/checkpoints.js';
import type { SubgraphClient } from '../subgraph-client.js';

const FORCE = 'mutation ForceCheckpoint { forceCheckpoint }';

/**
 * The ledger's checkpoints, for parts that seal what it holds.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that asks.
 */
export const checkpointsOver = (ledger: SubgraphClient, caller: string): Checkpoints => ({
  async force(tenantId) {
    const { forceCheckpoint } = await ledger.run(FORCE, {}, internalContext(tenantId, caller));
    return forceCheckpoint as PublishedCheckpoint;
  },
});

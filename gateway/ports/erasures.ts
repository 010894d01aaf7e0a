import { internalContext } from '../../shared/auth/context.js';
import type { ErasureState, Erasures } from '../../shared/contracts/erasures.js';
import type { SubgraphClient } from '../subgraph-client.js';

const HALT = 'mutation HaltDeletions { haltDeletions }';
const RUN = 'mutation RunErasure($order: JSON!) { runErasure(order: $order) }';

/**
 * Disposal of what there is of one member, for the other parts of the service.
 *
 * @param vault client of the vault subgraph.
 * @param caller the process or part that asks.
 */
export const erasuresOver = (vault: SubgraphClient, caller: string): Erasures => ({
  async run(tenantId, order) {
    const { runErasure } = await vault.run(RUN, { order }, internalContext(tenantId, caller));
    return runErasure as ErasureState;
  },
  async halt(tenantId) {
    await vault.run(HALT, {}, internalContext(tenantId, caller));
  },
});

import { internalContext } from '../../shared/auth/context.js';
import type { BundleOrders, OrderedBundleStatus } from '../../shared/contracts/bundle-orders.js';
import type { SubgraphClient } from '../subgraph-client.js';

const ORDER = 'mutation OrderBundle($order: JSON!) { orderBundle(order: $order) }';
const STATUS = 'query OrderedBundleStatus($bundle_id: String!) { orderedBundleStatus(bundle_id: $bundle_id) }';

/**
 * Bundles, for the other parts of the service.
 *
 * @param bundles client of the bundles subgraph.
 * @param caller the process or part that orders.
 */
export const bundleOrdersOver = (bundles: SubgraphClient, caller: string): BundleOrders => ({
  async order(tenantId, order) {
    await bundles.run(ORDER, { order }, internalContext(tenantId, caller));
  },
  async statusOf(tenantId, bundleId) {
    const answer = await bundles.run(STATUS, { bundle_id: bundleId }, internalContext(tenantId, caller));
    return answer['orderedBundleStatus'] as OrderedBundleStatus | null;
  },
});

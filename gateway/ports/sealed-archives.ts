import { internalContext } from '../../shared/auth/context.js';
import type { SealedArchives } from '../../shared/contracts/sealed-archives.js';
import type { SubgraphClient } from '../subgraph-client.js';

const NAMED = 'query SealedArchives($sha256s: [String!]!) { sealedArchives(sha256s: $sha256s) }';

/**
 * Archives of sealed bundles, for the vault.
 *
 * @param bundles client of the bundles subgraph.
 * @param caller the process or part that asks.
 */
export const sealedArchivesOver = (bundles: SubgraphClient, caller: string): SealedArchives => ({
  async named(tenantId, sha256s) {
    const { sealedArchives } = await bundles.run(NAMED, { sha256s }, internalContext(tenantId, caller));
    return sealedArchives as readonly string[];
  },
});

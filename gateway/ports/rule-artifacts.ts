import { internalContext } from '../../shared/auth/context.js';
import type { RuleArtifacts } from '../../shared/contracts/rule-artifacts.js';
import type { SubgraphClient } from '../subgraph-client.js';

const NAMED = 'query RuleArtifacts($sha256s: [String!]!) { ruleArtifacts(sha256s: $sha256s) }';

/**
 * Artifacts of rules, for the vault.
 *
 * @param advocacy client of the advocacy subgraph.
 * @param caller the process or part that asks.
 */
export const ruleArtifactsOver = (advocacy: SubgraphClient, caller: string): RuleArtifacts => ({
  async named(tenantId, sha256s) {
    const { ruleArtifacts } = await advocacy.run(NAMED, { sha256s }, internalContext(tenantId, caller));
    return ruleArtifacts as readonly string[];
  },
});

import { internalContext } from '../../shared/auth/context.js';
import { type ConsentTerms, verdictOf } from '../../shared/consent/verdict.js';
import type { ConsentGate } from '../../shared/contracts/consent.js';
import type { SubgraphClient } from '../subgraph-client.js';

const TERMS = `query ConsentTerms($member_ids: [String!]!, $purpose: String!, $actor: String) {
  consentTerms(member_ids: $member_ids, purpose: $purpose, actor: $actor)
}`;

/**
 * What members have consented to, for those who give out records.
 *
 * @param members client of the members-graph subgraph.
 * @param caller the process or part that asks.
 */
export const consentGateOver = (members: SubgraphClient, caller: string): ConsentGate => ({
  async decide(tenantId, { member_ids, purpose, actor }) {
    const variables = { member_ids: [...member_ids], purpose, actor };
    const { consentTerms } = await members.run(TERMS, variables, internalContext(tenantId, caller));
    return verdictOf(consentTerms as ConsentTerms);
  },
});

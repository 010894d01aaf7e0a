import { internalContext } from '../../shared/auth/context.js';
import type { DisposalCandidate, DisposalPlan, LedgerDisposal } from '../../shared/contracts/disposal.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { SubgraphClient } from '../subgraph-client.js';

const TENANTS = 'query DisposalTenants { disposalTenants }';
const PLAN = `query PlanDisposal($cutoffs: JSON!, $after: JSON, $limit: Int!) {
  planDisposal(cutoffs: $cutoffs, after: $after, limit: $limit)
}`;
const OF_MEMBERS = `query MemberDisposals($member_ids: [String!]!, $after: JSON, $limit: Int!) {
  memberDisposals(member_ids: $member_ids, after: $after, limit: $limit)
}`;
const FACTS = 'query DisposalFacts($event_ids: [String!]!) { disposalFacts(event_ids: $event_ids) }';
const DISPOSE = 'mutation DisposeEvents($order: JSON!) { disposeEvents(order: $order) }';
const RAW = `query RawInUse($raw_sha256s: [String!]!, $keep_unknown: Boolean!) {
  rawInUse(raw_sha256s: $raw_sha256s, keep_unknown: $keep_unknown)
}`;
const DROP =
  'mutation DropSegments($sealed_before_ms: SafeInteger!) { dropSegments(sealed_before_ms: $sealed_before_ms) }';

/**
 * The ledger's side of disposal, for the vault.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that disposes.
 */
export const ledgerDisposalOver = (ledger: SubgraphClient, caller: string): LedgerDisposal => ({
  async tenantIds() {
    const { disposalTenants } = await ledger.run(TENANTS, {}, internalContext(null, caller));
    return disposalTenants as readonly TenantId[];
  },
  async plan(tenantId, cutoffs, after, limit) {
    const answer = await ledger.run(PLAN, { cutoffs, after, limit }, internalContext(tenantId, caller));
    return answer['planDisposal'] as DisposalPlan;
  },
  async ofMembers(tenantId, memberIds, after, limit) {
    const variables = { member_ids: memberIds, after, limit };
    const answer = await ledger.run(OF_MEMBERS, variables, internalContext(tenantId, caller));
    return answer['memberDisposals'] as DisposalPlan;
  },
  async facts(tenantId, eventIds) {
    const answer = await ledger.run(FACTS, { event_ids: eventIds }, internalContext(tenantId, caller));
    return answer['disposalFacts'] as readonly DisposalCandidate[];
  },
  async dispose(tenantId, order) {
    await ledger.run(DISPOSE, { order }, internalContext(tenantId, caller));
  },
  async rawInUse(tenantId, rawSha256s, unknown) {
    const variables = { raw_sha256s: rawSha256s, keep_unknown: unknown === 'KEEP' };
    const answer = await ledger.run(RAW, variables, internalContext(tenantId, caller));
    return answer['rawInUse'] as readonly string[];
  },
  async dropSegments(tenantId, sealedBeforeMs) {
    const variables = { sealed_before_ms: sealedBeforeMs };
    const answer = await ledger.run(DROP, variables, internalContext(tenantId, caller));
    return answer['dropSegments'] as readonly string[];
  },
});

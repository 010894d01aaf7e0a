import { internalContext } from '../../shared/auth/context.js';
import type { EventReads, LedgerEventView, LinkedEventsView } from '../../shared/contracts/event-reads.js';
import type { SubgraphClient } from '../subgraph-client.js';

const BY_ID = `query EventView($event_id: String!, $unredacted: Boolean!) {
  eventView(event_id: $event_id, unredacted: $unredacted)
}`;
const OF_MEMBER = `query MemberEventViews($member_id: String!, $asked: JSON!) {
  memberEventViews(member_id: $member_id, asked: $asked)
}`;
const LINKED = 'query LinkedEventViews($event_id: String!) { linkedEventViews(event_id: $event_id) }';

/**
 * Events by what they say.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that reads.
 */
export const eventReadsOver = (ledger: SubgraphClient, caller: string): EventReads => ({
  async byId(tenantId, event_id, { unredacted }) {
    const { eventView } = await ledger.run(BY_ID, { event_id, unredacted }, internalContext(tenantId, caller));
    return (eventView ?? null) as LedgerEventView | null;
  },
  async ofMember(tenantId, member_id, { before, limit, unredacted }) {
    const asked = { before, limit, unredacted };
    const { memberEventViews } = await ledger.run(OF_MEMBER, { member_id, asked }, internalContext(tenantId, caller));
    return memberEventViews as readonly LedgerEventView[];
  },
  async linked(tenantId, event_id) {
    const { linkedEventViews } = await ledger.run(LINKED, { event_id }, internalContext(tenantId, caller));
    return (linkedEventViews ?? null) as LinkedEventsView | null;
  },
});

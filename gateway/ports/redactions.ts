import { internalContext } from '../../shared/auth/context.js';
import type {
  EventPointersJudged,
  EventRedaction,
  EventRedactor,
  EventRendition,
  Redactions,
} from '../../shared/contracts/redactions.js';
import type { SubgraphClient } from '../subgraph-client.js';

const OF_EVENTS = 'query EventRedactions($ids: [String!]!) { eventRedactions(event_ids: $ids) }';
const JUDGE =
  'query JudgeRedaction($id: String!, $pointers: [String!]!) { judgeRedaction(event_id: $id, pointers: $pointers) }';
const RENDER = 'mutation RenderEventRedaction($order: JSON!) { renderEventRedaction(order: $order) }';
const HIDE = 'mutation HideEvent($order: JSON!) { hideEvent(order: $order) }';

/** Applied redactions of events, for those who give out records. @param ledger client of the ledger subgraph. */
export const redactionsOver = (ledger: SubgraphClient, caller: string): Redactions => ({
  async ofEvents(tenantId, eventIds) {
    if (eventIds.length === 0) return new Map();
    const answer = await ledger.run(OF_EVENTS, { ids: eventIds }, internalContext(tenantId, caller));
    return new Map(answer['eventRedactions'] as readonly (readonly [string, EventRedaction])[]);
  },
});

/** The ledger's side of redactions. @param ledger client of the ledger subgraph. */
export const eventRedactorOver = (ledger: SubgraphClient, caller: string): EventRedactor => ({
  async judge(tenantId, id, pointers) {
    const answer = await ledger.run(JUDGE, { id, pointers }, internalContext(tenantId, caller));
    return answer['judgeRedaction'] as EventPointersJudged;
  },
  async render(tenantId, order) {
    const answer = await ledger.run(RENDER, { order }, internalContext(tenantId, caller));
    return answer['renderEventRedaction'] as EventRendition;
  },
  async hide(tenantId, order) {
    await ledger.run(HIDE, { order }, internalContext(tenantId, caller));
  },
});

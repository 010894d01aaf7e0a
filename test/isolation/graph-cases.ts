import { type Case, record } from './case-kinds.js';
import { SAME } from './world.js';

/** Nodes of A's are none to B, at either end of a path. */
export const GRAPH_CASES: Readonly<Record<string, readonly Case[]>> = {
  'GET /v1/graph/neighbors': [
    record('event', null, { asks: (id) => `node=event:${id}` }),
    record('document', null, { asks: (id) => `node=document:${id}&depth=2` }),
  ],
  'GET /v1/graph/subgraph': [record('bundle', null, { asks: (id) => `roots=bundle:${id}&depth=4` })],
  'GET /v1/graph/paths': [
    record('event', null, { asks: (id) => `from=event:${id}&to=member:${SAME.member}` }),
    record('event', null, { asks: (id) => `from=member:${SAME.member}&to=event:${id}` }),
  ],
  'GET /v1/graph/export': [{ kind: 'own' }],
};

/** Root fields of the graph that no route runs; each needs the reason why a stranger gains nothing by it. */
export const GRAPH_ONLY_FIELDS: Readonly<Record<string, string>> = {
  appealedDenials: 'about the events of who asks, and takes no identifier',
  denialSummary: 'counts the events of who asks, and takes no identifier',
  aiDecisionAggregate: 'counts the decisions of who asks, and takes no identifier',
  exceptionAggregate: 'counts the exceptions of who asks, and takes no identifier',
  eventAggregate: 'counts the events of who asks; test/ledger/event-queries names values of another tenant',
  eventConnection: "lists the events of who asks; test/ledger/event-queries sends another tenant's cursor",
  unmatchedRemittances: 'counts the events of who asks, and takes no identifier',
  exceptionSummary: 'counts the exceptions of who asks, and takes no identifier',
  provider: "an NPI, which is public; test/ledger/event-queries asks for one that another tenant's events name",
  claim: "takes the sender's own claim number; test/ledger/event-queries asks for another tenant's",
  code: "a public code; test/ledger/event-queries asks for one that another tenant's events name",
  claimConversation: "takes the sender's own claim number; test/ledger/analysis asks for another tenant's",
  memberNeighborhood: "takes the sender's own member id; test/ledger/analysis asks for another tenant's",
  webhookDeliveryAggregate: "test/admin/webhooks/delivery-aggregate asks for another tenant's webhook",
  verifyLedger: 'all parts of verifyLedgerPart in one: about the ledger of who asks, and takes no identifier',
};

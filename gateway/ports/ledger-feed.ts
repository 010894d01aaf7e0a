import { internalContext } from '../../shared/auth/context.js';
import type { ChainHead, FeedPage, LedgerFeed, LedgerFollower } from '../../shared/contracts/ledger-feed.js';
import type { SubgraphClient } from '../subgraph-client.js';

const HEADS = 'query LedgerHeads { ledgerHeads }';
const READ = `query LedgerFeed($after: JSON!, $all: Boolean!, $named: [String!]!, $limit: Int!, $contents: Boolean!) {
  ledgerFeed(after: $after, all: $all, named: $named, limit: $limit, contents: $contents)
}`;
const GROWN = 'mutation LedgerGrown($chains: [String!]!) { ledgerGrown(chains: $chains) }';
const GRAPH_GROWN = 'mutation GraphLedgerGrown($chains: [String!]!) { graphLedgerGrown(chains: $chains) }';

/**
 * The ledger for those who follow it.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that reads.
 */
export const ledgerFeedOver = (ledger: SubgraphClient, caller: string): LedgerFeed => ({
  async heads(tenantId) {
    const { ledgerHeads } = await ledger.run(HEADS, {}, internalContext(tenantId, caller));
    return ledgerHeads as readonly ChainHead[];
  },
  async read(tenantId, { after, all, named, limit, contents = false }) {
    const asked = { after, all, named, limit, contents };
    const { ledgerFeed } = await ledger.run(READ, asked, internalContext(tenantId, caller));
    return ledgerFeed as FeedPage;
  },
});

/** Subgraphs whose parts follow the ledger. */
export interface FollowerClients {
  /** Where webhooks live. */
  readonly admin: SubgraphClient;
  /** Where the graph lives. */
  readonly members: SubgraphClient;
}

/**
 * Those who follow the ledger, for the ledger. One that cannot be told does not keep the word from the other.
 *
 * @param caller the process or part that tells.
 */
export const ledgerFollowerOver = ({ admin, members }: FollowerClients, caller: string): LedgerFollower => ({
  async grown(tenantId, chains) {
    const context = internalContext(tenantId, caller);
    const [webhooks, graph] = await Promise.allSettled([
      admin.run(GROWN, { chains }, context),
      members.run(GRAPH_GROWN, { chains }, context),
    ]);
    if (webhooks.status === 'rejected') throw webhooks.reason;
    if (graph.status === 'rejected') throw graph.reason;
    return webhooks.value['ledgerGrown'] === true || graph.value['graphLedgerGrown'] === true;
  },
});

import { internalContext } from '../../shared/auth/context.js';
import type {
  ChainEntry,
  LedgerHead,
  LedgerRecord,
  LedgerRecords,
  SelectedPage,
} from '../../shared/contracts/ledger-records.js';
import type { BlockProof } from '../../shared/evidence/bundle/inclusion.js';
import type { SubgraphClient } from '../subgraph-client.js';

const SELECT = `query SelectRecords($selection: JSON!, $tree_size: SafeInteger!, $cursor: String) {
  selectRecords(selection: $selection, tree_size: $tree_size, cursor: $cursor)
}`;
const RECORDS = 'query LedgerRecords($places: JSON!) { ledgerRecords(places: $places) }';
const CHAIN = `query LedgerChainEntries($wanted: JSON!, $tree_size: SafeInteger!) {
  ledgerChainEntries(wanted: $wanted, tree_size: $tree_size)
}`;
const PROOFS =
  'query LedgerBlockProofs($tree: JSON!, $blocks: JSON!) { ledgerBlockProofs(tree: $tree, blocks: $blocks) }';
const HEADS = 'query LedgerHeadsWithin($tree_size: SafeInteger!) { ledgerHeadsWithin(tree_size: $tree_size) }';

/**
 * The ledger for those who seal parts of it.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that reads.
 */
export const ledgerRecordsOver = (ledger: SubgraphClient, caller: string): LedgerRecords => ({
  async select(tenantId, selection, tree_size, cursor) {
    const { selectRecords } = await ledger.run(
      SELECT,
      { selection, tree_size, cursor },
      internalContext(tenantId, caller),
    );
    return selectRecords as SelectedPage;
  },
  async records(tenantId, places) {
    const { ledgerRecords } = await ledger.run(RECORDS, { places }, internalContext(tenantId, caller));
    return ledgerRecords as readonly LedgerRecord[];
  },
  async chain(tenantId, wanted, tree_size) {
    const { ledgerChainEntries } = await ledger.run(CHAIN, { wanted, tree_size }, internalContext(tenantId, caller));
    return ledgerChainEntries as readonly ChainEntry[];
  },
  async inclusion(tenantId, tree, blocks) {
    const { ledgerBlockProofs } = await ledger.run(PROOFS, { tree, blocks }, internalContext(tenantId, caller));
    return ledgerBlockProofs as readonly BlockProof[];
  },
  async heads(tenantId, tree_size) {
    const { ledgerHeadsWithin } = await ledger.run(HEADS, { tree_size }, internalContext(tenantId, caller));
    return ledgerHeadsWithin as readonly LedgerHead[];
  },
});

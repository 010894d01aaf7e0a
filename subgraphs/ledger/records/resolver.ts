import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type {
  ChainEntry,
  EntryPlace,
  EventSelection,
  LedgerHead,
  LedgerRecord,
  SelectedPage,
  TreeAt,
  WantedBlock,
  WantedChain,
} from '../../../shared/contracts/ledger-records.js';
import type { BlockProof } from '../../../shared/evidence/bundle/inclusion.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { TenantContexts } from '../append/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import type { RowDisposals } from '../row-proofs/index.js';
import type { TileCache, TreeStore } from '../transparency/index.js';
import type { RecordReads } from './ports.js';
import { chainEntries } from './read-chain-entries.js';
import { headsWithin, proveBlocks, recordsAt, selectPlaces } from './read-records.js';

interface RecordReadDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly reads: RecordReads;
  readonly rowDisposals: RowDisposals;
  readonly trees: TreeStore;
  readonly cache: TileCache;
}

const TREE_SIZE = { description: 'Number of entries of the tree.' };

/** Serves the bundles subgraph: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class LedgerRecordsResolver {
  readonly #deps: RecordReadDeps;

  constructor(deps: RecordReadDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Places of selected events (SelectedPage).' })
  async selectRecords(
    @Ctx() context: RequestContext,
    @Arg('selection', () => JsonScalar, { description: 'Which (EventSelection).' }) selection: EventSelection,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
    @Arg('cursor', () => String, { nullable: true, description: 'Cursor of the page before.' }) cursor: string | null,
  ): Promise<SelectedPage> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { trees, reads } = this.#deps;
    return selectPlaces(reads(tenantId), trees(tenantId), selection, treeSize, cursor ?? null);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Entries at these places (a list of LedgerRecord).' })
  async ledgerRecords(
    @Ctx() context: RequestContext,
    @Arg('places', () => JsonScalar, { description: 'Places (a list of EntryPlace).' }) places: readonly EntryPlace[],
  ): Promise<readonly LedgerRecord[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { contexts, reads, rowDisposals } = this.#deps;
    const tenant = await contexts.of(tenantId);
    const from = { reads: reads(tenantId), rowDisposals };
    return reportingDamage(this.#deps, readerOf(context, tenantId), () => recordsAt(tenant, from, places));
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Custody and system entries (a list of ChainEntry).' })
  async ledgerChainEntries(
    @Ctx() context: RequestContext,
    @Arg('wanted', () => JsonScalar, { description: 'Subjects and entries (WantedChain).' }) wanted: WantedChain,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
  ): Promise<readonly ChainEntry[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { trees, reads } = this.#deps;
    return reportingDamage(this.#deps, readerOf(context, tenantId), () =>
      chainEntries(reads(tenantId), trees(tenantId), wanted, treeSize),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Proofs of blocks of leaves (a list of BlockProof).' })
  async ledgerBlockProofs(
    @Ctx() context: RequestContext,
    @Arg('tree', () => JsonScalar, { description: 'The tree (TreeAt, root_hash).' }) tree: TreeAt & {
      readonly root_hash: string;
    },
    @Arg('blocks', () => JsonScalar, { description: 'Blocks and leaves (a list of WantedBlock).' })
    blocks: readonly WantedBlock[],
  ): Promise<readonly BlockProof[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { trees, cache } = this.#deps;
    return proveBlocks(cache, tenantId, trees(tenantId), tree, blocks);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'The last entry of each chain within the tree (a list of LedgerHead).' })
  async ledgerHeadsWithin(
    @Ctx() context: RequestContext,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
  ): Promise<readonly LedgerHead[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { contexts, reads } = this.#deps;
    return headsWithin(await contexts.of(tenantId), reads(tenantId), treeSize);
  }
}

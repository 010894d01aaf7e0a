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
import type { Committer } from '../../../shared/evidence/commitments.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { RecordReads } from '../service/ports/record-reads.js';
import type { TreeStore } from '../service/ports/tree-store.js';
import { proveBlocks } from '../service/prove-blocks.js';
import { chainEntries } from '../service/read-chain-entries.js';
import { headsWithin, recordsAt, selectPlaces } from '../service/read-records.js';
import type { TenantContexts } from '../service/tenant-context.js';
import type { TileCache } from '../service/tree-tiles.js';
import { type DamageDeps, readerOf, tellingDamage } from '../service/verify-on-read.js';

export interface RecordReadDeps extends DamageDeps {
  readonly contexts: TenantContexts;
  readonly reads: RecordReads;
  readonly trees: TreeStore;
  readonly cache: TileCache;
  readonly committer: Committer;
}

const TREE_SIZE = { description: 'As many entries of the tree.' };

/** For those who seal parts of the ledger: in no API schema, and closed to every key by its scope. */
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
    @Arg('selection', () => JsonScalar, { description: 'Which (EventSelection).' }) selection: unknown,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
    @Arg('cursor', () => String, { nullable: true, description: 'Of the page before.' }) cursor: string | null,
  ): Promise<SelectedPage> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { trees, reads } = this.#deps;
    return selectPlaces(reads(tenantId), trees(tenantId), selection as EventSelection, treeSize, cursor ?? null);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Entries at these places (a list of LedgerRecord).' })
  async ledgerRecords(
    @Ctx() context: RequestContext,
    @Arg('places', () => JsonScalar, { description: 'Where (a list of EntryPlace).' }) places: unknown,
  ): Promise<readonly LedgerRecord[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { contexts, reads, committer } = this.#deps;
    const tenant = await contexts.of(tenantId);
    return tellingDamage(this.#deps, readerOf(context, tenantId), () =>
      recordsAt(tenant, reads(tenantId), committer, places as readonly EntryPlace[]),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Custody and system entries (a list of ChainEntry).' })
  async ledgerChainEntries(
    @Ctx() context: RequestContext,
    @Arg('wanted', () => JsonScalar, { description: 'Of what (WantedChain).' }) wanted: unknown,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
  ): Promise<readonly ChainEntry[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { trees, reads } = this.#deps;
    return tellingDamage(this.#deps, readerOf(context, tenantId), () =>
      chainEntries(reads(tenantId), trees(tenantId), wanted as WantedChain, treeSize),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Proofs of blocks of leaves (a list of BlockProof).' })
  async ledgerBlockProofs(
    @Ctx() context: RequestContext,
    @Arg('tree', () => JsonScalar, { description: 'Of which tree (TreeAt, root_hash).' }) tree: unknown,
    @Arg('blocks', () => JsonScalar, { description: 'Which (a list of WantedBlock).' }) blocks: unknown,
  ): Promise<readonly BlockProof[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const at = tree as TreeAt & { readonly root_hash: string };
    const { trees, cache } = this.#deps;
    return proveBlocks(cache, tenantId, trees(tenantId), at, blocks as readonly WantedBlock[]);
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

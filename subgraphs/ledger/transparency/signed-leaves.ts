import { leafHash } from '../../../shared/merkle/hashes.js';
import type { ChainPlace, LinkedEntry, TenantTree, TreeRow } from './ports/tree-store.js';
import { type NewestTree, NewestTrees, type SignedTree, type SignedTreeDeps } from './signed-tree.js';
import { VerifiedTiles } from './verified-tiles.js';

/** The tree and chains of one tenant, for the comparison of its entries. */
export interface ComparedTenant {
  readonly tenantId: string;
  readonly tree: TenantTree;
  /** `prev_hash` of a chain's first entry. */
  genesis(sourceSystem: string): string;
}

type SignedTenant = Pick<ComparedTenant, 'tenantId' | 'tree'>;

interface LeafVerdict {
  /** Null during the seconds until the entry has a leaf. */
  readonly treeIndex: number | null;
  /** False for an entry that the signed tree, or before its checkpoint the chain, contradicts. */
  readonly isProven: boolean;
  /** True for a proven entry that a signed checkpoint covers: no later checkpoint contradicts it. */
  readonly isSigned: boolean;
}

/**
 * Compares entries with the newest signed tree (docs/evidence.md "Reads"): an entry that a checkpoint covers with its leaf
 * in a verified tile, a newer one with its neighbours in the chain.
 */
export class SignedLeaves {
  readonly #newest: NewestTrees;
  readonly #tiles = new VerifiedTiles();

  constructor(deps: SignedTreeDeps) {
    this.#newest = new NewestTrees(deps);
  }

  /** Returns one verdict an entry, in their order. Asks one question for the leaves of all. */
  async compare(tenant: ComparedTenant, entries: readonly LinkedEntry[]): Promise<readonly LeafVerdict[]> {
    const { tenantId, tree } = tenant;
    const known = this.#newest.known(tenantId);
    const [leaves, newest] = await Promise.all([
      leavesOf(tree, entries),
      known === null ? this.#newest.refresh(tenantId, tree) : { signed: known, isDamaged: false },
    ]);
    const verdicts = await this.#compared(tenant, entries, { leaves, newest, isFresh: known === null });
    if (verdicts.every(({ isProven }) => isProven)) return verdicts;
    // Another incarnation of the tree may have replaced what this process knows.
    this.#tiles.forget(tenantId);
    const [leavesNow, newestNow] = await Promise.all([leavesOf(tree, entries), this.#newest.refresh(tenantId, tree)]);
    return this.#compared(tenant, entries, { leaves: leavesNow, newest: newestNow, isFresh: true });
  }

  /**
   * Returns the entry hashes of these places that a signed checkpoint proves, by `placeKey`. The row of the leaf names the
   * hash, and a verified tile proves it. Neighbours in a chain prove nothing here.
   */
  async signedHashes({ tenantId, tree }: SignedTenant, places: readonly ChainPlace[]): Promise<Map<string, string>> {
    const [rows, { signed, isDamaged }] = await Promise.all([
      tree.leavesAt(places),
      this.#newest.refresh(tenantId, tree),
    ]);
    const proven = new Map<string, string>();
    if (signed === null || isDamaged) return proven;
    for (const row of rows) {
      if (row.malformed !== undefined || row.tree_index >= signed.size) continue;
      const hash = await this.#tiles.leafAt({ tenantId, tree, signed }, row.tree_index);
      if (hash?.equals(leafHash(Buffer.from(row.entry_hash, 'hex'))) === true)
        proven.set(placeKey(row), row.entry_hash);
    }
    return proven;
  }

  async #compared(tenant: ComparedTenant, entries: readonly LinkedEntry[], read: TreeRead) {
    const recent = entries.filter((_, i) => !isCovered(read.leaves[i], read.newest.signed));
    const chain = recent.length === 0 ? null : await this.#chainOf(tenant, entries, recent, read);
    const leaves = chain?.leaves ?? read.leaves;
    const { signed } = chain?.newest ?? read.newest;
    return Promise.all(
      entries.map(async (entry, i): Promise<LeafVerdict> => {
        const leaf = leaves[i];
        const treeIndex = leaf?.tree_index ?? null;
        if (leaf === undefined || signed === null || leaf.tree_index >= signed.size) {
          const isSame = leaf === undefined || leaf.entry_hash === entry.entry_hash;
          return { treeIndex, isProven: isSame && chain?.linked.has(placeKey(entry)) === true, isSigned: false };
        }
        const hash = await this.#tiles.leafAt(
          { tenantId: tenant.tenantId, tree: tenant.tree, signed },
          leaf.tree_index,
        );
        const isSigned = hash?.equals(leafHash(Buffer.from(entry.entry_hash, 'hex'))) === true;
        return { treeIndex, isProven: isSigned, isSigned };
      }),
    );
  }

  /** Reads what proves entries that no known checkpoint covers: a newer one, or their neighbours in the chain. */
  async #chainOf(
    tenant: ComparedTenant,
    entries: readonly LinkedEntry[],
    recent: readonly LinkedEntry[],
    { leaves, newest, isFresh }: TreeRead,
  ): Promise<TreeRead & { readonly linked: ReadonlySet<string> }> {
    const { tenantId, tree } = tenant;
    const [linked, ends, fresh] = await Promise.all([
      linkedOf(tenant, recent, new Map(leaves.flatMap((leaf) => (leaf ? [[placeKey(leaf), leaf]] : [])))),
      assignedEnds(tree, recent),
      isFresh ? newest : this.#newest.refresh(tenantId, tree),
    ]);
    // Entries of a chain get their leaves in order: below the last one, each has one.
    const due = entries.filter(
      (entry, i) => leaves[i] === undefined && entry.seq <= (ends.get(entry.source_system) ?? 0),
    );
    const late = new Map((due.length === 0 ? [] : await tree.leavesAt(due)).map((leaf) => [placeKey(leaf), leaf]));
    const lost = new Set(due.map(placeKey).filter((key) => !late.has(key)));
    return {
      leaves: entries.map((entry, i) => leaves[i] ?? late.get(placeKey(entry))),
      newest: fresh,
      isFresh: true,
      linked: fresh.isDamaged ? NONE : new Set([...linked].filter((key) => !lost.has(key))),
    };
  }
}

/** The tree as one read of entries sees it. */
interface TreeRead {
  /** Leaves of the entries, in their order. */
  readonly leaves: readonly (TreeRow | undefined)[];
  readonly newest: NewestTree;
  /** The newest checkpoint was just read. */
  readonly isFresh: boolean;
}

const NONE: ReadonlySet<string> = new Set();

/** Names a place within one tenant. */
export const placeKey = ({ source_system, seq }: ChainPlace): string => `${seq} ${source_system}`;

const isCovered = (leaf: TreeRow | undefined, signed: SignedTree | null): boolean =>
  leaf !== undefined && signed !== null && leaf.tree_index < signed.size;

async function leavesOf(
  tree: Pick<TenantTree, 'leavesAt'>,
  entries: readonly LinkedEntry[],
): Promise<readonly (TreeRow | undefined)[]> {
  const found = new Map((await tree.leavesAt(entries)).map((leaf) => [placeKey(leaf), leaf]));
  return entries.map((entry) => found.get(placeKey(entry)));
}

/**
 * Returns the entries that follow from the entry before them, and that the entry after them follows from. The leaves of a
 * chain are in the order of its entries.
 *
 * @param own known leaves of the entries.
 */
async function linkedOf(
  { tree, genesis }: Pick<ComparedTenant, 'tree' | 'genesis'>,
  entries: readonly LinkedEntry[],
  own: ReadonlyMap<string, TreeRow>,
): Promise<ReadonlySet<string>> {
  const around = entries.flatMap(({ source_system, seq }) => [
    ...(seq > 1 ? [{ source_system, seq: seq - 1 }] : []),
    { source_system, seq: seq + 1 },
  ]);
  const [neighbours, leaves] = await Promise.all([tree.entriesAt(around), tree.leavesAt(around)]);
  const byPlace = new Map(neighbours.map((entry) => [placeKey(entry), entry]));
  const leafAt = new Map(leaves.map((leaf) => [placeKey(leaf), leaf.tree_index]));
  const linked = entries.filter(({ source_system, seq, prev_hash, entry_hash }) => {
    const [previous, next] = [placeKey({ source_system, seq: seq - 1 }), placeKey({ source_system, seq: seq + 1 })];
    const before = seq === 1 ? genesis(source_system) : byPlace.get(previous)?.entry_hash;
    const after = byPlace.get(next)?.prev_hash ?? entry_hash;
    const index = own.get(placeKey({ source_system, seq }))?.tree_index;
    const inOrder = index === undefined || ((leafAt.get(previous) ?? -1) < index && index < (leafAt.get(next) ?? LAST));
    return before === prev_hash && after === entry_hash && inOrder;
  });
  return new Set(linked.map(placeKey));
}

const LAST = Number.MAX_SAFE_INTEGER;

async function assignedEnds(
  tree: Pick<TenantTree, 'assignedUpTo'>,
  entries: readonly ChainPlace[],
): Promise<ReadonlyMap<string, number>> {
  const sources = [...new Set(entries.map(({ source_system }) => source_system))];
  return new Map(await Promise.all(sources.map(async (name) => [name, await tree.assignedUpTo(name)] as const)));
}

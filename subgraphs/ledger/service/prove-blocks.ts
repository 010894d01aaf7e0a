import type { TreeAt, WantedBlock } from '../../../shared/contracts/ledger-records.js';
import { problem } from '../../../shared/errors/problem.js';
import { BLOCK_LEAVES, type BlockProof } from '../../../shared/evidence/bundle/inclusion.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { areLeaves, blockWidth, provenBlock, stepsInBlock, walkBlock } from '../domain/block-proof.js';
import type { TenantTree } from './ports/tree-store.js';
import { StoredTiles, type TileCache, TreeFault } from './tree-tiles.js';

/**
 * Proofs of many leaves: each block's tile is read once, and its path from the tiles above. Each is checked before it is
 * handed out; what does not hold is read anew from what is stored before it is called damage.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function proveBlocks(
  cache: TileCache,
  tenantId: string,
  tree: TenantTree,
  at: TreeAt & { readonly root_hash: string },
  blocks: readonly WantedBlock[],
): Promise<readonly BlockProof[]> {
  const name = { tenantId, incarnation: at.incarnation };
  for (const remembered of [cache, null]) {
    try {
      const tiles = new StoredTiles(tree, name, remembered, remembered !== null);
      const proofs = await proofsFrom(tiles, at, blocks);
      if (proofs !== null) return proofs;
    } catch (error) {
      if (!(error instanceof TreeFault)) throw error;
    }
    cache.forget(tenantId);
  }
  throw problem('INTEGRITY_FAILURE', { internal: 'entries are not the leaves of the tree that was signed' });
}

async function proofsFrom(
  tiles: StoredTiles,
  { tree_size: size, root_hash }: TreeAt & { readonly root_hash: string },
  blocks: readonly WantedBlock[],
): Promise<readonly BlockProof[] | null> {
  const wanted = blocks.map(({ block }) => ({ tile: { level: 0, index: block }, width: blockWidth(block, size) }));
  const leaves = await tiles.tiles(wanted);
  const view = new TreeView(tiles);
  const treeRoot = Buffer.from(root_hash, 'hex');
  const proofs: BlockProof[] = [];
  for (const [i, { block, offsets, entry_hashes }] of blocks.entries()) {
    const bytes = leaves[i] ?? Buffer.alloc(0);
    if (!areLeaves(bytes, offsets, entry_hashes)) return null;
    const inclusion = await view.inclusionProof(block * BLOCK_LEAVES, size);
    const path = inclusion.slice(stepsInBlock(blockWidth(block, size)));
    const proof = provenBlock({ ...walkBlock(bytes, offsets), block, treeSize: size, treeRoot, path });
    if (proof === null) return null;
    proofs.push(proof);
  }
  return proofs;
}

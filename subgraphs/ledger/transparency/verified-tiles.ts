import { HASH_BYTES } from '../../../shared/merkle/hashes.js';
import { TILE_WIDTH } from '../../../shared/merkle/tiles.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { leavesInTile, provesTile } from './domain.js';
import type { TenantTree } from './ports/tree-store.js';
import type { SignedTree } from './signed-tree.js';
import { StoredTiles, TileCache, TreeFault } from './tree-tiles.js';

/** 8 KiB each. */
const MAX_VERIFIED_TILES = 4_096;
/** Tiles of the levels above, which the proofs of all tiles share. */
const MAX_PATH_TILES = 512;

interface TiledTree {
  readonly tenantId: string;
  readonly tree: TenantTree;
  readonly signed: SignedTree;
}

/**
 * Tiles of level 0 that this process has verified against a signed checkpoint, of all tenants. A tree only grows, so that
 * verified leaves stay valid; a tile at the right edge is verified again when a larger checkpoint covers more of it.
 */
export class VerifiedTiles {
  readonly #verified = new TileCache<Buffer>(MAX_VERIFIED_TILES);
  readonly #loading = new Map<string, Promise<Buffer | null>>();
  readonly #paths = new TileCache(MAX_PATH_TILES);

  /** Returns the hash of a leaf that the checkpoint covers; null if its stored tile is not part of the signed tree. */
  async leafAt(tiled: TiledTree, index: number): Promise<Buffer | null> {
    const [tile, offset] = [Math.floor(index / TILE_WIDTH), index % TILE_WIDTH];
    const end = (offset + 1) * HASH_BYTES;
    const key = keyOf(tiled, tile);
    const known = this.#verified.get(key);
    const leaves = known !== undefined && known.length >= end ? known : await this.#load(tiled, tile, key);
    return leaves === null ? null : leaves.subarray(end - HASH_BYTES, end);
  }

  /** Drops the cached tiles of a tenant's tree, so that the next read verifies them again. */
  forget(tenantId: string): void {
    this.#verified.forget(tenantId);
    this.#paths.forget(tenantId);
  }

  /** Requests for one tile share one verification. */
  #load(tiled: TiledTree, tile: number, key: string): Promise<Buffer | null> {
    const name = `${key} ${tiled.signed.size}`;
    const loading = this.#loading.get(name);
    if (loading !== undefined) return loading;
    const made = this.#verify(tiled, tile, key).finally(() => this.#loading.delete(name));
    this.#loading.set(name, made);
    return made;
  }

  async #verify(tiled: TiledTree, tile: number, key: string): Promise<Buffer | null> {
    const leaves = (await provenLeaves(tiled, tile, this.#paths)) ?? (await provenLeaves(tiled, tile, null));
    if (leaves === null) return null;
    const before = this.#verified.get(key);
    if (before === undefined || before.length <= leaves.length) this.#verified.put(key, leaves);
    return leaves;
  }
}

/** @returns null for a tile that does not lead to the signed root. */
async function provenLeaves(
  { tenantId, tree, signed }: TiledTree,
  tile: number,
  cache: TileCache | null,
): Promise<Buffer | null> {
  const { incarnation, size, root } = signed;
  const tiles = new StoredTiles(tree, { tenantId, incarnation }, cache, cache !== null);
  try {
    const [leaves] = await tiles.tiles([{ tile: { level: 0, index: tile }, width: leavesInTile(tile, size) }]);
    const proof = await new TreeView(tiles).inclusionProof(tile * TILE_WIDTH, size);
    return leaves !== undefined && provesTile({ tile, leaves, size, root, proof }) ? leaves : null;
  } catch (error) {
    if (error instanceof TreeFault || error instanceof RangeError) return null;
    throw error;
  }
}

const keyOf = ({ tenantId, signed }: TiledTree, tile: number): string => `${tenantId} ${signed.incarnation} ${tile}`;

import { Lru } from '../../../shared/cache/lru.js';
import { HASH_BYTES, leafHash } from '../../../shared/merkle/hashes.js';
import { InnerNodes, rootOfFullTile, TILE_BYTES, TILE_WIDTH, type TilePlace } from '../../../shared/merkle/tiles.js';
import type { TileSource } from '../../../shared/merkle/tree-view.js';
import type { EdgeTile, TenantTree } from './ports/tree-store.js';

/** The stored leaves and tiles do not form a tree. */
export class TreeFault extends Error {}

/** The cached hashes of a tile. A tree only grows, so that cached hashes stay valid. */
interface KnownTile {
  readonly bytes: Buffer;
  readonly width: number;
  /** Tiles that every proof uses: those of upper levels and unfinished ones. */
  readonly inner: InnerNodes | undefined;
  /**
   * Started from an assigner's saved tiles, not from leaves: usable for proofs, which are verified, and never stored.
   */
  readonly isNoted: boolean;
}

/** 8 KiB each. */
const MAX_KNOWN_TILES = 4_096;

/** Tiles that this process has read recently, of all tenants. */
export class TileCache<Tile = KnownTile> {
  readonly #known: Lru<string, Tile>;

  constructor(maxTiles: number = MAX_KNOWN_TILES) {
    this.#known = new Lru(maxTiles);
  }

  get(key: string): Tile | undefined {
    return this.#known.get(key);
  }

  put(key: string, tile: Tile): void {
    this.#known.set(key, tile);
  }

  /** Drops the cached tiles of a tenant's tree after a proof failed. */
  forget(tenantId: string): void {
    this.#known.deleteWhere((key) => key.startsWith(`${tenantId} `));
  }
}

/** Nodes of the tile level above this many. */
const above = (nodes: number): number => Math.floor(nodes / TILE_WIDTH);

/** Names the tree: tenant and incarnation. */
interface TreeName {
  readonly tenantId: string;
  readonly incarnation: number;
}

/**
 * The tiles of one tree. Full ones are stored; missing ones, and the unfinished ones at the right edge, are built from
 * the leaves or the tiles below. Without a cache it reads only the store.
 */
export class StoredTiles implements TileSource {
  readonly #tree: TenantTree;
  readonly #name: TreeName;
  readonly #cache: TileCache | null;
  readonly #takesNotes: boolean;
  #edges: Promise<ReadonlyMap<string, Buffer>> | undefined;

  /** @param takesNotes accept an assigner's saved unfinished tiles; only for callers that verify the result. */
  constructor(tree: TenantTree, name: TreeName, cache: TileCache | null, takesNotes = false) {
    this.#tree = tree;
    this.#name = name;
    this.#cache = cache;
    this.#takesNotes = takesNotes;
  }

  async tiles(wanted: readonly { readonly tile: TilePlace; readonly width: number }[]): Promise<readonly Buffer[]> {
    const known = wanted.map(({ tile, width }) => this.#known(tile, width));
    const missing = wanted.filter((_, i) => known[i] === undefined);
    const full = missing.filter(({ width }) => width === TILE_WIDTH).map(({ tile }) => tile);
    const kept = await this.#tree.tiles(this.#name.incarnation, full);
    const made = await Promise.all(
      missing.map(({ tile, width }) => {
        const bytes = kept.get(`${tile.level}/${tile.index}`);
        return bytes?.length === TILE_BYTES ? this.#remember(tile, bytes) : this.#make(tile, width);
      }),
    );
    return known.map((bytes) => bytes ?? made.shift() ?? Buffer.alloc(0));
  }

  innerNodes(tile: TilePlace): InnerNodes | undefined {
    return this.#cached(tile)?.inner;
  }

  /**
   * Returns the unfinished upper tiles of a tree of this size; null for an incomplete tree, which publishing reports.
   */
  async edges(size: number): Promise<readonly EdgeTile[] | null> {
    const wanted: { readonly tile: TilePlace; readonly width: number }[] = [];
    for (let level = 1, nodes = above(size); nodes > 0; level++, nodes = above(nodes)) {
      const width = nodes % TILE_WIDTH;
      if (width > 0) wanted.push({ tile: { level, index: (nodes - width) / TILE_WIDTH }, width });
    }
    try {
      const hashes = await this.tiles(wanted);
      return wanted.map(({ tile }, i) => ({ place: tile, hashes: hashes[i] ?? Buffer.alloc(0) }));
    } catch (error) {
      if (!(error instanceof TreeFault)) throw error;
      return null;
    }
  }

  /** Adds leaves that were just assigned, so that they need not be read back. */
  appended(firstIndex: number, leaves: readonly Buffer[]): void {
    if (this.#cache === null) return;
    for (let at = 0; at < leaves.length; ) {
      const offset = (firstIndex + at) % TILE_WIDTH;
      const count = Math.min(TILE_WIDTH - offset, leaves.length - at);
      const tile = { level: 0, index: (firstIndex + at - offset) / TILE_WIDTH };
      const before = offset === 0 ? Buffer.alloc(0) : this.#known(tile, offset);
      if (before) this.#remember(tile, Buffer.concat([before, ...leaves.slice(at, at + count)]));
      at += count;
    }
  }

  #known(tile: TilePlace, width: number): Buffer | undefined {
    const found = this.#cached(tile);
    return found && found.width >= width ? found.bytes.subarray(0, width * HASH_BYTES) : undefined;
  }

  #cached(tile: TilePlace): KnownTile | undefined {
    const found = this.#cache?.get(this.#keyOf(tile));
    return found?.isNoted === true && !this.#takesNotes ? undefined : found;
  }

  #remember(tile: TilePlace, bytes: Buffer, isNoted = false): Buffer {
    const width = bytes.length / HASH_BYTES;
    const before = this.#cached(tile);
    const isCommon = tile.level > 0 || width < TILE_WIDTH;
    const inner = (before?.isNoted === isNoted && before.inner) || (isCommon ? new InnerNodes() : undefined);
    this.#cache?.put(this.#keyOf(tile), { bytes, width, inner, isNoted });
    return bytes;
  }

  /** @throws if the tree does not reach that far. */
  async #make(tile: TilePlace, width: number): Promise<Buffer> {
    const known = this.#cached(tile) ?? (await this.#noted(tile));
    if (known.width >= width) return this.#remember(tile, known.bytes, known.isNoted).subarray(0, width * HASH_BYTES);
    const from = tile.index * TILE_WIDTH + known.width;
    const count = width - known.width;
    const hashes = tile.level === 0 ? await this.#leaves(from, count) : await this.#roots(tile.level - 1, from, count);
    if (hashes.length !== count) throw new TreeFault('the tree holds fewer leaves than requested');
    return this.#remember(tile, Buffer.concat([known.bytes, ...hashes]), known.isNoted);
  }

  async #noted(tile: TilePlace): Promise<Pick<KnownTile, 'bytes' | 'width' | 'isNoted'>> {
    // Leaves are always read: a saved tile must not hide damage to them.
    if (!this.#takesNotes || tile.level === 0) return { bytes: Buffer.alloc(0), width: 0, isNoted: false };
    this.#edges ??= this.#tree.edges(this.#name.incarnation);
    const bytes = (await this.#edges).get(`${tile.level}/${tile.index}`) ?? Buffer.alloc(0);
    return { bytes, width: Math.floor(bytes.length / HASH_BYTES), isNoted: bytes.length > 0 };
  }

  async #leaves(from: number, count: number): Promise<readonly Buffer[]> {
    const rows = await this.#tree.rows(from, count);
    if (rows.some(({ tree_index }, i) => tree_index !== from + i))
      throw new TreeFault('the tree has no leaf at a place');
    return rows.map(({ entry_hash }) => leafHash(Buffer.from(entry_hash, 'hex')));
  }

  async #roots(level: number, from: number, count: number): Promise<readonly Buffer[]> {
    const roots = [...(await this.#tree.tileRoots(this.#name.incarnation, level, from, count))];
    while (roots.length < count) {
      const tile = { level, index: from + roots.length };
      const [bytes] = await this.tiles([{ tile, width: TILE_WIDTH }]);
      roots.push(rootOfFullTile(bytes ?? Buffer.alloc(0)));
    }
    return roots;
  }

  #keyOf({ level, index }: TilePlace): string {
    return `${this.#name.tenantId} ${this.#name.incarnation} ${level}/${index}`;
  }
}

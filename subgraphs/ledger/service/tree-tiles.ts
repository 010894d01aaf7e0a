import { HASH_BYTES, leafHash } from '../../../shared/merkle/hashes.js';
import { InnerNodes, rootOfFullTile, TILE_BYTES, TILE_WIDTH, type TilePlace } from '../../../shared/merkle/tiles.js';
import type { TileSource } from '../../../shared/merkle/tree-view.js';
import type { EdgeTile, TenantTree } from './ports/tree-store.js';

/** What is stored of a tree does not make up a tree. */
export class TreeFault extends Error {}

/** What is remembered of a tile: its hashes up to now. A tree only grows, so that what is known of a tile stays true. */
interface KnownTile {
  readonly bytes: Buffer;
  readonly width: number;
  /** Of tiles that every proof comes through: those of upper levels, and what is not full. */
  readonly inner: InnerNodes | undefined;
  /** Begun with what an assigner noted of it, and not with leaves: good for proofs, which are checked, and for nothing kept. */
  readonly isNoted: boolean;
}

/** 8 KiB each. */
const MAX_KNOWN_TILES = 4_096;

/** Tiles that this process has read lately, of all tenants. */
export class TileCache {
  readonly #known = new Map<string, KnownTile>();

  get(key: string): KnownTile | undefined {
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, found);
    return found;
  }

  put(key: string, tile: KnownTile): void {
    this.#known.delete(key);
    this.#known.set(key, tile);
    if (this.#known.size <= MAX_KNOWN_TILES) return;
    const oldest = this.#known.keys().next();
    if (!oldest.done) this.#known.delete(oldest.value);
  }

  /** What is remembered of a tenant's tree, for who found it to be wrong. */
  forget(tenantId: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${tenantId} `)) this.#known.delete(key);
  }
}

/** Nodes of the tile level above this many. */
const above = (nodes: number): number => Math.floor(nodes / TILE_WIDTH);

/** Whose tiles, in which life of the tree. */
export interface TreeName {
  readonly tenantId: string;
  readonly incarnation: number;
}

/**
 * The tiles of one tree. Full ones are kept; what is missing, and the unfinished ones at the right edge, are made from the
 * leaves or from the tiles below. Without a cache it reads what is stored now, and nothing else.
 */
export class StoredTiles implements TileSource {
  readonly #tree: TenantTree;
  readonly #name: TreeName;
  readonly #cache: TileCache | null;
  readonly #takesNotes: boolean;
  #edges: Promise<ReadonlyMap<string, Buffer>> | undefined;

  /** @param takesNotes unfinished upper tiles may be what the last assigner noted: for who checks what comes of it. */
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

  /** The unfinished upper tiles of a tree of this size; null for a tree that is not whole: publishing will tell. */
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

  /** Leaves that have just been assigned, so that nobody need read them back. */
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

  /** @throws when the tree does not reach that far. */
  async #make(tile: TilePlace, width: number): Promise<Buffer> {
    const known = this.#cached(tile) ?? (await this.#noted(tile));
    if (known.width >= width) return this.#remember(tile, known.bytes, known.isNoted).subarray(0, width * HASH_BYTES);
    const from = tile.index * TILE_WIDTH + known.width;
    const count = width - known.width;
    const hashes = tile.level === 0 ? await this.#leaves(from, count) : await this.#roots(tile.level - 1, from, count);
    if (hashes.length !== count) throw new TreeFault('the tree holds fewer leaves than were asked for');
    return this.#remember(tile, Buffer.concat([known.bytes, ...hashes]), known.isNoted);
  }

  async #noted(tile: TilePlace): Promise<Pick<KnownTile, 'bytes' | 'width' | 'isNoted'>> {
    // Leaves are always read: damage to them must not hide behind a note.
    if (!this.#takesNotes || tile.level === 0) return { bytes: Buffer.alloc(0), width: 0, isNoted: false };
    this.#edges ??= this.#tree.edges(this.#name.incarnation);
    const bytes = (await this.#edges).get(`${tile.level}/${tile.index}`) ?? Buffer.alloc(0);
    return { bytes, width: Math.floor(bytes.length / HASH_BYTES), isNoted: bytes.length > 0 };
  }

  async #leaves(from: number, count: number): Promise<readonly Buffer[]> {
    const rows = await this.#tree.rows(from, count);
    if (rows.some(({ tree_index }, i) => tree_index !== from + i)) throw new TreeFault('a place of the tree is empty');
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

import { leafHash } from '../../../shared/merkle/hashes.js';
import { rootOfFullTile, TILE_WIDTH, type TilePlace } from '../../../shared/merkle/tiles.js';
import type { TenantLedger } from '../append/index.js';
import type { FullTile, TenantTree, TreeRow } from './ports/tree-store.js';
import type { StoredTiles } from './tree-tiles.js';

/** Entries of one write. */
const BATCH_ENTRIES = 2_000;
/** Least places of a batch for each chain with new entries: a busy chain does not block others. */
const LEAST_OF_A_CHAIN = 50;
const TILES_A_WRITE = 64;

/** State of a tree after a write; valid as long as its size is the same. */
interface KnownEnds {
  readonly size: number;
  readonly assigned: Map<string, number>;
}

export interface WaitingEntries {
  /** State of the current tree. */
  readonly size: number;
  /** Ordered by (source_system, seq); empty when every entry has its place. */
  readonly rows: readonly TreeRow[];
  /** Whether some chain may have more entries than these. */
  readonly more: boolean;
}

/** Finds the entries of one tenant without a place and assigns places to them. */
export class TreeAssigner {
  readonly #ledger: TenantLedger;
  readonly #tree: TenantTree;
  #ends: KnownEnds = { size: 0, assigned: new Map() };

  constructor(ledger: TenantLedger, tree: TenantTree) {
    this.#ledger = ledger;
    this.#tree = tree;
  }

  /** Returns the next write. */
  async next(): Promise<WaitingEntries> {
    const size = await this.#tree.size();
    if (size !== this.#ends.size) this.#ends = { size, assigned: new Map() };
    const sources = await this.#ledger.sourceSystems();
    const share = Math.max(LEAST_OF_A_CHAIN, Math.ceil(BATCH_ENTRIES / Math.max(1, sources.length)));
    const chains = await Promise.all(sources.map((source) => this.#waiting(source, share)));
    const more = chains.some(({ length }) => length === share);
    // A large chain may use the places that small chains leave.
    const taken = chains.reduce((sum, { length }) => sum + length, 0);
    const [only, ...others] = chains.flatMap((rows, i) => (rows.length === share ? [sources[i] ?? ''] : []));
    if (only !== undefined && others.length === 0 && taken < BATCH_ENTRIES) {
      chains[sources.indexOf(only)] = await this.#waiting(only, BATCH_ENTRIES - taken + share);
    }
    return { size, rows: chains.flat().map((row, i) => ({ ...row, tree_index: size + i })), more };
  }

  /** Writes the leaves; returns false if another process took a place meanwhile. */
  async assign(rows: readonly TreeRow[], tiles: StoredTiles): Promise<boolean> {
    const { written, conflict } = await this.#tree.assign(rows);
    const done = rows.slice(0, written);
    const first = done[0];
    if (conflict || !first) {
      this.#ends = { size: 0, assigned: new Map() };
      return false;
    }
    tiles.appended(
      first.tree_index,
      done.map(({ entry_hash }) => leafHash(Buffer.from(entry_hash, 'hex'))),
    );
    const assigned = this.#ends.assigned;
    for (const { source_system, seq } of done) assigned.set(source_system, seq);
    this.#ends = { size: first.tree_index + done.length, assigned };
    return true;
  }

  async #waiting(sourceSystem: string, limit: number): Promise<readonly Omit<TreeRow, 'tree_index'>[]> {
    const known = this.#ends.assigned.get(sourceSystem);
    const last = known ?? (await this.#tree.assignedUpTo(sourceSystem));
    this.#ends.assigned.set(sourceSystem, last);
    const found = await this.#tree.entryHashes(sourceSystem, last + 1, limit);
    return found.map(({ seq, entry_hash }) => ({ source_system: sourceSystem, seq, entry_hash }));
  }
}

/**
 * Stores the tiles that a tree of this size has filled, from `tilesDone` of level 0 on. They follow from the leaves, so
 * that a crash only costs building them again.
 *
 * @returns the number of stored tiles of level 0.
 */
export async function keepFullTiles(
  tree: TenantTree,
  tiles: StoredTiles,
  { incarnation, size, tilesDone }: { readonly incarnation: number; readonly size: number; readonly tilesDone: number },
): Promise<number> {
  const full = Math.floor(size / TILE_WIDTH);
  for (let from = tilesDone; from < full; from += TILES_A_WRITE) {
    const to = Math.min(full, from + TILES_A_WRITE);
    await tree.keepTiles(incarnation, await fullTiles(tiles, 0, from, to));
    // The last tile below fills a tile of the next level.
    for (let level = 1, [first, end] = above(from, to); first < end; level++, [first, end] = above(first, end)) {
      await tree.keepTiles(incarnation, await fullTiles(tiles, level, first, end));
    }
  }
  return Math.max(full, tilesDone);
}

/** Returns the tiles of the next level that the tiles [from, to) fill. */
const above = (from: number, to: number): [number, number] => [
  Math.floor(from / TILE_WIDTH),
  Math.floor(to / TILE_WIDTH),
];

async function fullTiles(tiles: StoredTiles, level: number, from: number, to: number): Promise<FullTile[]> {
  const places = Array.from({ length: to - from }, (_, i): TilePlace => ({ level, index: from + i }));
  const found = await tiles.tiles(places.map((tile) => ({ tile, width: TILE_WIDTH })));
  return places.flatMap((place, i) => {
    const hashes = found[i];
    return hashes ? [{ place, hashes, root: rootOfFullTile(hashes) }] : [];
  });
}

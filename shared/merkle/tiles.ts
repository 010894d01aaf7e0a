import { HASH_BYTES, nodeHash } from './hashes.js';
import type { NodePlace } from './places.js';

// Tiles of C2SP tlog-tiles, height 8: a tile holds 256 neighbouring hashes of every eighth level; the seven levels between
// follow from them. A full tile never changes again.

const TILE_HEIGHT = 8;
export const TILE_WIDTH = 256;
export const TILE_BYTES: number = TILE_WIDTH * HASH_BYTES;

/** The `index`-th tile of tile level `level`: its hashes are nodes of tree level 8 × `level`. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

/** How many hashes the tile holds in a tree of this size; 0 when it is not there yet. */
export function tileWidth({ level, index }: TilePlace, size: number): number {
  const nodes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, nodes - index * TILE_WIDTH));
}

/** A node within its tile: made of `count` hashes from `from` on. */
interface TileSpan {
  readonly tile: TilePlace;
  readonly from: number;
  readonly count: number;
}

/** Where a node's hash comes from. */
export function tileSpanOf({ level, index }: NodePlace): TileSpan {
  const count = 2 ** (level % TILE_HEIGHT);
  const first = index * count;
  const tile = { level: Math.floor(level / TILE_HEIGHT), index: Math.floor(first / TILE_WIDTH) };
  return { tile, from: first % TILE_WIDTH, count };
}

/** Hashes above those of a tile, once they were made: a node of a perfect subtree never changes. */
export class InnerNodes {
  readonly #hashes = Buffer.alloc(TILE_BYTES);
  readonly #isKnown = new Uint8Array(TILE_WIDTH);

  get(from: number, count: number): Buffer | undefined {
    const at = (TILE_WIDTH + from) / count;
    return this.#isKnown[at] === 1 ? this.#hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) : undefined;
  }

  keep(from: number, count: number, hash: Buffer): Buffer {
    const at = (TILE_WIDTH + from) / count;
    this.#hashes.set(hash, at * HASH_BYTES);
    this.#isKnown[at] = 1;
    return hash;
  }
}

/**
 * The hash over `count` (a power of two) neighbouring hashes of a tile.
 *
 * @param inner stores the intermediate hashes.
 * @throws RangeError when the tile ends before.
 */
export function hashInTile(hashes: Buffer, from: number, count: number, inner?: InnerNodes): Buffer {
  if (hashes.length < (from + count) * HASH_BYTES) throw new RangeError('the tile ends before this node');
  if (count === 1) return hashes.subarray(from * HASH_BYTES, (from + 1) * HASH_BYTES);
  const known = inner?.get(from, count);
  if (known) return known;
  const middle = count / 2;
  const left = hashInTile(hashes, from, middle, inner);
  const hash = nodeHash(left, hashInTile(hashes, from + middle, middle, inner));
  return inner ? inner.keep(from, count, hash) : hash;
}

/** The hash that a full tile is in the tile level above. */
export const rootOfFullTile = (hashes: Buffer): Buffer => hashInTile(hashes, 0, TILE_WIDTH);

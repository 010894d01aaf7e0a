import { leafHash } from '../../../shared/merkle/hashes.js';
import { rootOfFullTile, TILE_BYTES, TILE_WIDTH, type TilePlace } from '../../../shared/merkle/tiles.js';
import type { TileSource } from '../../../shared/merkle/tree-view.js';

/** All tiles of a tree in memory, with a count of the reads. */
export class MemoryTiles implements TileSource {
  readonly #levels: Buffer[] = [];
  asked = 0;

  constructor(entries: readonly Uint8Array[]) {
    let level = Buffer.concat(entries.map((entry) => leafHash(entry)));
    while (level.length > 0) {
      this.#levels.push(level);
      const full = Math.floor(level.length / TILE_BYTES);
      const roots = Array.from({ length: full }, (_, i) => rootOfFullTile(level.subarray(i * TILE_BYTES)));
      level = Buffer.concat(roots);
    }
  }

  async tiles(wanted: readonly { readonly tile: TilePlace; readonly width: number }[]): Promise<readonly Buffer[]> {
    this.asked += wanted.length;
    return wanted.map(({ tile, width }) => {
      const from = tile.index * TILE_BYTES;
      return (this.#levels[tile.level] ?? Buffer.alloc(0)).subarray(from, from + (TILE_BYTES / TILE_WIDTH) * width);
    });
  }
}

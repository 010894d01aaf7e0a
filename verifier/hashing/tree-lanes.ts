import { LaneHasher } from '../../shared/hashing/lane-hasher.js';
import { BLOCK_BYTES, DIGEST_BYTES } from '../../shared/hashing/sha256-block.js';

/** H(0x01 ‖ left ‖ right) takes two blocks, H(0x00 ‖ entry) one. */
const NODE_BYTES = 2 * BLOCK_BYTES;

/** Computes the node over a whole block of leaves, four hashes at a time. Not thread-safe. */
export class TreeLanes {
  readonly #lanes: LaneHasher;
  readonly #top: number;

  private constructor(
    lanes: LaneHasher,
    private readonly width: number,
  ) {
    this.#lanes = lanes;
    const { bytes, roomStart } = lanes;
    for (let i = 0; i < width; i++) pad(bytes, roomStart + i * BLOCK_BYTES, 0, 1 + DIGEST_BYTES, BLOCK_BYTES);
    const nodes = roomStart + width * BLOCK_BYTES;
    for (let i = 0; i < width - 1; i++) pad(bytes, nodes + i * NODE_BYTES, 1, 1 + 2 * DIGEST_BYTES, NODE_BYTES);
    this.#top = nodes + (width - 1) * NODE_BYTES;
  }

  /** Returns null if the platform has no vector instructions. @param width leaves per block, a power of two */
  static create(width: number): TreeLanes | null {
    const lanes = LaneHasher.create(width, width * (BLOCK_BYTES + NODE_BYTES));
    return lanes && new TreeLanes(lanes, width);
  }

  /** @param entries one entry hash per leaf of the block, concatenated */
  root(entries: Uint8Array): Uint8Array {
    const { width } = this;
    const { bytes, roomStart } = this.#lanes;
    for (let i = 0; i < width; i++) {
      const at = roomStart + i * BLOCK_BYTES + 1;
      for (let byte = 0; byte < DIGEST_BYTES; byte++) bytes[at + byte] = entries[i * DIGEST_BYTES + byte] ?? 0;
    }
    this.#fold(roomStart, width, BLOCK_BYTES, roomStart + width * BLOCK_BYTES);
    return bytes.slice(this.#top + 1, this.#top + 1 + DIGEST_BYTES);
  }

  /** Hashes `count` messages, then each level above; digests are written into the next level's messages. */
  #fold(from: number, count: number, size: number, above: number): void {
    for (let i = 0; i < count; i++) {
      const target = above + (i >> 1) * NODE_BYTES + 1 + (i & 1) * DIGEST_BYTES;
      this.#lanes.add(from + i * size, size / BLOCK_BYTES, target);
    }
    this.#lanes.run();
    if (count > 1) this.#fold(above, count / 2, NODE_BYTES, above + (count / 2) * NODE_BYTES);
  }
}

/** Makes a padded message of that length and prefix (FIPS 180-4 section 5.1.1). */
function pad(bytes: Uint8Array, at: number, prefix: number, length: number, padded: number): void {
  bytes.fill(0, at, at + padded);
  bytes[at] = prefix;
  bytes[at + length] = 0x80;
  bytes[at + padded - 2] = (length * 8) >> 8;
  bytes[at + padded - 1] = length * 8;
}

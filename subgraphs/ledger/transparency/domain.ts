import { originOf } from '../../../shared/evidence/chain.js';
import { foldRight, HASH_BYTES } from '../../../shared/merkle/hashes.js';
import { coverOf } from '../../../shared/merkle/places.js';
import { hashInTile, TILE_WIDTH } from '../../../shared/merkle/tiles.js';
import { verifyInclusion } from '../../../shared/merkle/verify-proofs.js';

/**
 * Returns the first line of a checkpoint, which is also the name of the key that signs it (evidence.md section 3
 * "Checkpoints").
 */
export const checkpointOrigin = (deployment: string, logId: string, incarnation: number): string =>
  `${originOf(deployment, logId)}/inc-${incarnation}`;

/** Returns the incarnation that the origin of a checkpoint names; NaN if it names none. */
export const incarnationOf = (origin: string): number => Number(/\/inc-([1-9]\d*)$/.exec(origin)?.[1]);

/** Reason why publishing is blocked. */
const REGRESS_REASONS = [
  'TREE_SMALLER',
  'TREE_CHANGED',
  'TREE_DAMAGED',
  'LAST_NOTE_INVALID',
  'FILE_NOTE_INVALID',
  'SIGNER_REFUSED',
  'WITNESS_AHEAD',
  'WITNESS_DISAGREES',
] as const;
export type RegressReason = (typeof REGRESS_REASONS)[number];

/** Number of leaves that a tile of level 0 has in a tree of this size. */
export const leavesInTile = (tile: number, treeSize: number): number =>
  Math.min(TILE_WIDTH, treeSize - tile * TILE_WIDTH);

interface TileClaim {
  readonly tile: number;
  /** The tile's leaf hashes, as many as a tree of this size has. */
  readonly leaves: Buffer;
  /** Size and root of a signed checkpoint. */
  readonly size: number;
  readonly root: Buffer;
  /** Inclusion proof of the tile's first leaf. */
  readonly proof: readonly Buffer[];
}

/** Checks that a tile of level 0 is part of the tree of this root: one tile is one leaf of the tree above. */
export function provesTile({ tile, leaves, size, root, proof }: TileClaim): boolean {
  const width = leavesInTile(tile, size);
  if (width < 1 || leaves.length !== width * HASH_BYTES) return false;
  const parts = coverOf(0, width).map(({ level, index }) => hashInTile(leaves, index * 2 ** level, 2 ** level));
  const path = proof.slice(Math.ceil(Math.log2(width)));
  return verifyInclusion({
    leaf: foldRight(parts),
    index: tile,
    size: Math.ceil(size / TILE_WIDTH),
    root,
    proof: path,
  });
}

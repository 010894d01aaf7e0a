import { BLOCK_LEAVES, type BlockProof } from '../../../shared/evidence/bundle/inclusion.js';
import { HASH_BYTES, leafHash, nodeHash } from '../../../shared/merkle/hashes.js';
import { splitOf } from '../../../shared/merkle/places.js';
import { verifyInclusion } from '../../../shared/merkle/verify-proofs.js';

// Proofs of many leaves at once (shared/evidence/bundle/inclusion.ts): one walk over a block's leaves returns the nodes
// that a verifier cannot compute, and the block's own node.

/** Returns the number of blocks in a tree of this size. */
const blocksOf = (treeSize: number): number => Math.ceil(treeSize / BLOCK_LEAVES);

/** Returns the number of leaves of a block: 256, and fewer in the last one. */
export const blockWidth = (block: number, treeSize: number): number =>
  Math.min(BLOCK_LEAVES, treeSize - block * BLOCK_LEAVES);

/** Returns the number of steps from the first leaf of a block to the block's node. */
export const stepsInBlock = (width: number): number => Math.ceil(Math.log2(width));

interface WalkedBlock {
  readonly root: Buffer;
  readonly nodes: readonly Buffer[];
}

/**
 * @param leaves consecutive leaf hashes of the block.
 * @param offsets offsets of the leaves that the verifier has.
 */
export function walkBlock(leaves: Buffer, offsets: readonly number[]): WalkedBlock {
  const nodes: Buffer[] = [];
  const hashOf = (start: number, end: number): Buffer => {
    if (end - start === 1) return leaves.subarray(start * HASH_BYTES, end * HASH_BYTES);
    const middle = start + splitOf(end - start);
    return nodeHash(hashOf(start, middle), hashOf(middle, end));
  };
  // `from` and `to` bound the offsets within the range.
  const walk = (start: number, end: number, from: number, to: number): Buffer => {
    if (from === to) {
      const hash = Buffer.from(hashOf(start, end));
      nodes.push(hash);
      return hash;
    }
    if (end - start === 1) return leaves.subarray(start * HASH_BYTES, end * HASH_BYTES);
    const middle = start + splitOf(end - start);
    let border = from;
    while (border < to && (offsets[border] ?? middle) < middle) border++;
    const left = walk(start, middle, from, border);
    return nodeHash(left, walk(middle, end, border, to));
  };
  return { root: walk(0, leaves.length / HASH_BYTES, 0, offsets.length), nodes };
}

/** Checks that these entries are the leaves at these places. */
export const areLeaves = (leaves: Buffer, offsets: readonly number[], entryHashes: readonly string[]): boolean =>
  offsets.length === entryHashes.length &&
  offsets.every((offset, i) => {
    const leaf = leafHash(Buffer.from(entryHashes[i] ?? '', 'hex'));
    return leaf.equals(leaves.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES));
  });

interface BlockClaim extends WalkedBlock {
  readonly block: number;
  readonly treeSize: number;
  readonly treeRoot: Buffer;
  readonly path: readonly Buffer[];
}

/** Returns the proof if it leads to the root, otherwise null. */
export function provenBlock({ block, treeSize, treeRoot, root, nodes, path }: BlockClaim): BlockProof | null {
  const claim = { leaf: root, index: block, size: blocksOf(treeSize), root: treeRoot, proof: path };
  if (!verifyInclusion(claim)) return null;
  const hex = (hash: Buffer): string => hash.toString('hex');
  return { block, nodes: nodes.map(hex), path: path.map(hex) };
}

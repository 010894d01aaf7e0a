import { canonicalJson } from '../../json/canonical.js';

// proofs/inclusion.jsonl: that every row of ledger.tsv is a leaf of the checkpoint's tree (RFC 6962): blocks of the events,
// then those of the service's own entries.
//
// A separate path for each of a million events would be gigabytes, nearly all of it repeated. So one line proves a block
// of 256 neighbouring leaves: leaves 256·b to 256·b+255, the last block of a tree the rest. A block is a node of the tree
// of RFC 6962 section 2.1, and the tree above is the tree of the same rule over ceil(tree_size / 256) blocks.

export const BLOCK_LEAVES = 256;

/** One line, for each block that holds an entry of the part, ascending. */
export interface BlockProof {
  /** Number of the block, from 0. */
  readonly block: number;
  /**
   * Hex hashes of the largest nodes in the block that hold no entry of the part, from left to right. With the leaf
   * hashes of the entries (from entry_hash and tree_index of ledger.tsv) they give the block's node: split as RFC 6962
   * does (the largest power of two smaller than the number of leaves to the left); a half without entries takes the
   * next hash of the list.
   */
  readonly nodes: readonly string[];
  /**
   * Hex, the audit path from the block's node to the root, lowest first: PATH(block, blocks) of RFC 6962 section 2.1.1,
   * the blocks' nodes standing for the leaves.
   */
  readonly path: readonly string[];
}

export const inclusionLine = ({ block, nodes, path }: BlockProof): string =>
  `${canonicalJson({ block, nodes: [...nodes], path: [...path] })}\n`;

import { EMPTY_ROOT, leafHash, nodeHash } from '../../../shared/merkle/hashes.js';
import { splitOf } from '../../../shared/merkle/places.js';

/** The newest note of one log. */
export interface LogNote {
  readonly origin: string;
  readonly note: string;
}

/**
 * Returns the leaves over the newest notes of logs, in the order of their origins: each is the leaf hash of the note's bytes
 * (RFC 6962 section 2.1).
 */
export const leavesOver = (notes: readonly LogNote[]): readonly Buffer[] =>
  notes.toSorted((a, b) => (a.origin < b.origin ? -1 : 1)).map(({ note }) => leafHash(Buffer.from(note)));

/** Merkle tree hash over leaf hashes (RFC 6962 section 2.1). */
export function rootOver(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return only;
  const split = splitOf(leaves.length);
  return nodeHash(rootOver(leaves.slice(0, split)), rootOver(leaves.slice(split)));
}

/** Inclusion proof of a leaf, from its sibling up (RFC 6962 section 2.1.1). */
export function pathTo(leaves: readonly Buffer[], index: number): readonly Buffer[] {
  if (leaves.length <= 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split ? [...pathTo(left, index), rootOver(right)] : [...pathTo(right, index - split), rootOver(left)];
}

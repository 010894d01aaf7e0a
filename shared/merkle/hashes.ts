import { hash } from 'node:crypto';

// RFC 6962 section 2.1: leaves and nodes are hashed under different prefixes, so that neither can pass for the other.

export const HASH_BYTES = 32;

/** Root of the tree without leaves: H of nothing. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;
// A hash ends before other code could write into the buffer: no hash of a large tree needs its own buffer.
const leafInput = Buffer.alloc(1 + HASH_BYTES, LEAF_PREFIX);
const nodeInput = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);

/** H(0x00 ‖ entry). In the ledger's tree an entry is the 32 bytes of an entry_hash (evidence.md section 2). */
export function leafHash(entry: Uint8Array): Buffer {
  if (entry.length !== HASH_BYTES) return hash('sha256', Buffer.concat([Buffer.of(LEAF_PREFIX), entry]), 'buffer');
  leafInput.set(entry, 1);
  return hash('sha256', leafInput, 'buffer');
}

/** H(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES) throw new RangeError('a node joins two hashes');
  nodeInput.set(left, 1);
  nodeInput.set(right, 1 + HASH_BYTES);
  return hash('sha256', nodeInput, 'buffer');
}

/** Joins neighbouring perfect subtrees, larger ones first, to the hash of the whole. */
export function foldRight(hashes: readonly Uint8Array[]): Buffer {
  let folded: Buffer | undefined;
  for (const next of hashes.toReversed()) folded = folded ? nodeHash(next, folded) : Buffer.from(next);
  return folded ?? Buffer.from(EMPTY_ROOT);
}

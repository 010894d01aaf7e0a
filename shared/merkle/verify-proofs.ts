import { EMPTY_ROOT, HASH_BYTES, nodeHash } from './hashes.js';

// RFC 9162 sections 2.1.3.2 and 2.1.4.2: verification by the positions alone, so that a proof of another shape than its
// tree's cannot be taken.

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const areHashes = (hashes: readonly Uint8Array[]): boolean => hashes.every(({ length }) => length === HASH_BYTES);
const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

interface InclusionClaim {
  /** Hash of the leaf, not the entry itself. */
  readonly leaf: Uint8Array;
  readonly index: number;
  /** Size and root of the tree: from a verified checkpoint, never from the source of the proof. */
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** True if the tree of this root has the leaf at this index. */
export function verifyInclusion({ leaf, index, size, root, proof }: InclusionClaim): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, root, ...proof])) return false;
  let node = index;
  let last = size - 1;
  let joined: Uint8Array = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      joined = nodeHash(sibling, joined);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      joined = nodeHash(joined, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equal(joined, root);
}

interface ConsistencyClaim {
  readonly first: number;
  readonly firstRoot: Uint8Array;
  readonly second: number;
  readonly secondRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether the second tree begins with the leaves of the first. Everything does with those of the empty tree. */
export function verifyConsistency({ first, firstRoot, second, secondRoot, proof }: ConsistencyClaim): boolean {
  if (!isSize(first) || !isSize(second) || first > second || !areHashes([firstRoot, secondRoot, ...proof]))
    return false;
  if (first === second) return proof.length === 0 && equal(firstRoot, secondRoot);
  if (first === 0) return proof.length === 0 && equal(firstRoot, EMPTY_ROOT);
  let node = first - 1;
  let last = second - 1;
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  // A first tree that is perfect is a node of the second one: its own root begins the path.
  const [seed, ...path] = node === 0 ? [firstRoot, ...proof] : proof;
  if (seed === undefined) return false;
  let joinedFirst = seed;
  let joinedSecond = seed;
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      joinedFirst = nodeHash(sibling, joinedFirst);
      joinedSecond = nodeHash(sibling, joinedSecond);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      joinedSecond = nodeHash(joinedSecond, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equal(joinedFirst, firstRoot) && equal(joinedSecond, secondRoot);
}

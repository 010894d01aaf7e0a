import { type Bytes, hexOf, ofHex, sha256 } from './bytes';

// RFC 6962: a leaf and a node are hashed under different prefixes. RFC 9162 section 2.1.3.2: positions alone decide the shape
// of a proof, so that a proof of another shape fails.

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

/** The root that a path leads to from an entry; null for a path of another shape. */
export async function rootOf(
  entryHash: string,
  index: number,
  size: number,
  path: readonly string[],
): Promise<string | null> {
  if (index >= size) return null;
  let node = index;
  let last = size - 1;
  let reached: Bytes = await sha256(LEAF, ofHex(entryHash));
  for (const sibling of path.map(ofHex)) {
    if (last === 0) return null;
    if (isOdd(node) || node === last) {
      reached = await sha256(NODE, sibling, reached);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      reached = await sha256(NODE, reached, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? hexOf(reached) : null;
}

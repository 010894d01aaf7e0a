import { EMPTY_SUBTREE, MAP_HASH_BYTES, mapLeafHash, mapNodeHash } from './hashes.js';
import type { MapProof } from './prove.js';

const KEY_BITS = 8 * MAP_HASH_BYTES;

const bitAt = (key: Uint8Array, bit: number): number => ((key[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1;

const sharesBits = (a: Uint8Array, b: Uint8Array, bits: number): boolean => {
  for (let bit = 0; bit < bits; bit++) if (bitAt(a, bit) !== bitAt(b, bit)) return false;
  return true;
};

/** What a map says about a key: its value, or null for a key that is absent. */
interface MapClaim {
  readonly root: Uint8Array;
  readonly key: Buffer;
  readonly value: Buffer | null;
  readonly proof: MapProof;
}

/** @returns null for a proof that holds; otherwise the reason, for the report. */
export function mapProofFault({ root, key, value, proof }: MapClaim): string | null {
  const { leaf, siblings } = proof;
  const hashes = [key, ...siblings, ...(value ? [value] : []), ...(leaf ? [leaf.key, leaf.value] : [])];
  if (siblings.length > KEY_BITS || hashes.some(({ length }) => length !== MAP_HASH_BYTES)) {
    return 'the proof has no valid form';
  }
  if (value !== null && !(leaf?.key.equals(key) && leaf.value.equals(value))) return 'the proof is of another value';
  if (value === null && leaf?.key.equals(key)) return 'the key is present';
  if (leaf !== null && !sharesBits(leaf.key, key, siblings.length)) return 'the leaf is not on the path of the key';
  // A subtree with one key is that key's leaf, so a single leaf has no empty sibling.
  const last = siblings.at(-1);
  if (last && EMPTY_SUBTREE.equals(last)) return 'the lowest sibling is empty';
  let folded: Buffer = leaf === null ? EMPTY_SUBTREE : mapLeafHash(leaf.key, leaf.value);
  for (let bit = siblings.length - 1; bit >= 0; bit--) {
    const sibling = siblings[bit] ?? EMPTY_SUBTREE;
    folded = bitAt(key, bit) === 0 ? mapNodeHash(folded, sibling) : mapNodeHash(sibling, folded);
  }
  return folded.equals(root) ? null : 'the proof does not lead to the root';
}

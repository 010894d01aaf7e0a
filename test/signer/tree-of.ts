import { nodeHash } from '../../shared/merkle/hashes.js';

/** A tree by the definitions of RFC 9162 sections 2.1.1 and 2.1.4.1, word for word. */
export function treeOf(leaves: readonly Buffer[]) {
  return { root: rootOf(leaves), consistency: (from: number) => subproof(from, leaves, true) };
}

function split(count: number): number {
  let k = 1;
  while (k * 2 < count) k *= 2;
  return k;
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only !== undefined && leaves.length === 1) return only;
  const k = split(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

function subproof(m: number, leaves: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const k = split(leaves.length);
  if (m <= k) return [...subproof(m, leaves.slice(0, k), isWhole), rootOf(leaves.slice(k))];
  return [...subproof(m - k, leaves.slice(k), false), rootOf(leaves.slice(0, k))];
}

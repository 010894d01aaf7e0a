import { assertTreeSize, coverOf, type NodePlace, splitOf } from './places.js';

/** One hash of a proof: the fold of these neighbouring perfect subtrees, larger ones first. */
export type ProofTerm = readonly NodePlace[];

/** What an inclusion proof is made of, from the leaf's sibling up (RFC 6962 section 2.1.1). */
export function inclusionPlan(index: number, size: number): ProofTerm[] {
  assertTreeSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError('no leaf of this tree');
  const terms: ProofTerm[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      terms.push(coverOf(middle, end));
      end = middle;
    } else {
      terms.push(coverOf(start, middle));
      start = middle;
    }
  }
  return terms.reverse();
}

/** What a consistency proof is made of (RFC 6962 section 2.1.2); empty from the empty tree and between equal sizes. */
export function consistencyPlan(first: number, second: number): ProofTerm[] {
  assertTreeSize(first);
  assertTreeSize(second);
  if (first > second) throw new RangeError('the first tree is larger than the second');
  if (first === 0 || first === second) return [];
  const terms: ProofTerm[] = [];
  let start = 0;
  let end = second;
  // True while the rest of the first tree is a whole subtree of it: then the verifier knows its hash already.
  let known = true;
  while (first !== end) {
    const middle = start + splitOf(end - start);
    if (first <= middle) {
      terms.push(coverOf(middle, end));
      end = middle;
    } else {
      terms.push(coverOf(start, middle));
      start = middle;
      known = false;
    }
  }
  if (!known) terms.push(coverOf(start, end));
  return terms.reverse();
}

import { describe, expect, it } from '@jest/globals';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { EMPTY_ROOT, leafHash } from '../../../shared/merkle/hashes.js';
import { verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { leavesOver, pathTo, rootOver } from '../../../subgraphs/ledger/log-roots/domain.js';

const notes = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ origin: `log-${String(n).padStart(3, '0')}`, note: `note of ${n}` }));

describe('the root over the notes of all logs', () => {
  it.each([1, 2, 3, 7, 8, 9, 100])('of %d logs is that of RFC 6962, and each note has its proof', (count) => {
    const leaves = leavesOver(notes(count));
    const root = rootOver(leaves);
    const range = new CompactRange();
    for (const leaf of leaves) range.append(leaf);
    expect(root.equals(range.root())).toBe(true);
    for (const [index, leaf] of leaves.entries()) {
      const claim = { leaf, index, size: count, root, proof: pathTo(leaves, index) };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion({ ...claim, leaf: leafHash(Buffer.from('another note')) })).toBe(false);
    }
  });

  it('does not depend on the order in which the logs are found, and of none is the empty root', () => {
    const some = notes(9);
    expect(leavesOver(some.toReversed())).toEqual(leavesOver(some));
    expect(rootOver([]).equals(EMPTY_ROOT)).toBe(true);
  });
});

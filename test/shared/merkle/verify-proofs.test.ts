import { describe, expect, it } from '@jest/globals';
import { EMPTY_ROOT, leafHash } from '../../../shared/merkle/hashes.js';
import { verifyConsistency, verifyInclusion } from '../../../shared/merkle/verify-proofs.js';
import { entries, entry, path, root, subproof } from './reference-tree.js';

const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33];

/** The hash with one bit turned. */
const turned = (hash: Uint8Array): Buffer => {
  const copy = Buffer.from(hash);
  copy[31] = (copy[31] ?? 0) ^ 1;
  return copy;
};

/** Every way to spoil a list of hashes by one step. */
function spoilt(proof: readonly Buffer[]): Buffer[][] {
  const ways: Buffer[][] = [
    [...proof, entry(999)],
    [entry(999), ...proof],
  ];
  for (const [i, hash] of proof.entries()) {
    ways.push(proof.toSpliced(i, 1), proof.toSpliced(i, 1, turned(hash)), proof.toSpliced(i, 0, hash));
    if (i > 0) ways.push([...proof.slice(0, i - 1), hash, proof[i - 1] as Buffer, ...proof.slice(i + 1)]);
  }
  return ways;
}

describe('an inclusion proof', () => {
  it('is accepted only for its leaf, place, size and root', () => {
    for (const size of SIZES) {
      const tree = entries(size);
      for (let index = 0; index < size; index++) {
        const good = { leaf: leafHash(entry(index)), index, size, root: root(tree), proof: path(index, tree) };
        expect(verifyInclusion(good)).toBe(true);
        for (const proof of spoilt(good.proof)) expect(verifyInclusion({ ...good, proof })).toBe(false);
        expect(verifyInclusion({ ...good, leaf: turned(good.leaf) })).toBe(false);
        expect(verifyInclusion({ ...good, root: turned(good.root) })).toBe(false);
        for (let other = 0; other < size; other++) {
          if (other !== index) expect(verifyInclusion({ ...good, index: other })).toBe(false);
        }
      }
    }
  });

  it('with an invalid place, size or hash is rejected', () => {
    const tree = entries(4);
    const good = { leaf: leafHash(entry(1)), index: 1, size: 4, root: root(tree), proof: path(1, tree) };
    for (const index of [-1, 4, 0.5, Number.NaN, 2 ** 53]) expect(verifyInclusion({ ...good, index })).toBe(false);
    for (const size of [0, -1, 1, 2.5, Number.NaN]) expect(verifyInclusion({ ...good, size })).toBe(false);
    expect(verifyInclusion({ ...good, proof: good.proof.map((hash) => hash.subarray(1)) })).toBe(false);
    expect(verifyInclusion({ ...good, leaf: good.leaf.subarray(1) })).toBe(false);
    expect(verifyInclusion({ leaf: EMPTY_ROOT, index: 0, size: 0, root: EMPTY_ROOT, proof: [] })).toBe(false);
  });
});

describe('a consistency proof', () => {
  it('is accepted only for its two sizes and roots', () => {
    for (const second of SIZES) {
      const tree = entries(second);
      for (let first = 1; first <= second; first++) {
        const firstRoot = root(tree.slice(0, first));
        const proof = subproof(first, tree, true);
        const good = { first, firstRoot, second, secondRoot: root(tree), proof };
        expect(verifyConsistency(good)).toBe(true);
        for (const bad of spoilt(proof)) expect(verifyConsistency({ ...good, proof: bad })).toBe(false);
        expect(verifyConsistency({ ...good, firstRoot: turned(firstRoot) })).toBe(false);
        expect(verifyConsistency({ ...good, secondRoot: turned(good.secondRoot) })).toBe(false);
      }
    }
  });

  it('does not connect a tree to one with another history', () => {
    const honest = entries(13);
    const forked = [...honest.slice(0, 5), entry(500), ...honest.slice(6), entry(13), entry(14)];
    const claim = { first: 13, firstRoot: root(honest), second: 15, secondRoot: root(forked) };
    expect(verifyConsistency({ ...claim, proof: subproof(13, forked, true) })).toBe(false);
  });

  it('from the empty tree is empty, and a tree never shrinks', () => {
    const tree = entries(3);
    const fromNothing = { first: 0, firstRoot: EMPTY_ROOT, second: 3, secondRoot: root(tree), proof: [] };
    expect(verifyConsistency(fromNothing)).toBe(true);
    expect(verifyConsistency({ ...fromNothing, firstRoot: root(tree) })).toBe(false);
    expect(verifyConsistency({ ...fromNothing, proof: [entry(1)] })).toBe(false);
    const shrunk = { first: 3, firstRoot: root(tree), second: 2, secondRoot: root(entries(2)), proof: [] };
    expect(verifyConsistency(shrunk)).toBe(false);
    expect(verifyConsistency({ ...shrunk, second: Number.NaN })).toBe(false);
  });
});

import { describe, expect, it } from '@jest/globals';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { EMPTY_ROOT, leafHash } from '../../../shared/merkle/hashes.js';
import { coverOf } from '../../../shared/merkle/places.js';
import { rootOfFullTile, TILE_BYTES, tileWidth } from '../../../shared/merkle/tiles.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { MemoryTiles } from './memory-tiles.js';
import { entries, entry, path, root, subproof } from './reference-tree.js';

// Inputs and roots of the reference tests of Certificate Transparency's own implementation.
const REFERENCE_INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const REFERENCE_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => Buffer.from(hash).toString('hex'));

describe('a Merkle tree', () => {
  it('has the roots of the reference implementation', () => {
    const range = new CompactRange();
    expect(EMPTY_ROOT.toString('hex')).toBe(REFERENCE_ROOTS[0]);
    expect(range.root()).toEqual(EMPTY_ROOT);
    for (const [i, input] of REFERENCE_INPUTS.entries()) {
      range.append(leafHash(Buffer.from(input, 'hex')));
      expect(range.root().toString('hex')).toBe(REFERENCE_ROOTS[i + 1]);
    }
  });

  it("has the leaf of evidence.md's vector", () => {
    const entryHash = '5cb39c33ea314794a481707133d57d17c64d597d8d86d2e5013e985988afaf70';
    const leaf = 'f093978246cfecc97c23bd5ec0df849dd09c73a7add13ea63484a272416530e1';
    expect(leafHash(Buffer.from(entryHash, 'hex')).toString('hex')).toBe(leaf);
  });

  it('returns roots, inclusion and consistency proofs as the RFC defines them, at every size', async () => {
    const all = entries(70);
    const view = new TreeView(new MemoryTiles(all));
    const range = new CompactRange();
    for (let size = 1; size <= all.length; size++) {
      const tree = all.slice(0, size);
      range.append(leafHash(entry(size - 1)));
      expect(await view.rootAt(size)).toEqual(root(tree));
      expect(range.root()).toEqual(root(tree));
      expect(hex(await view.edgeAt(size))).toEqual(hex(range.hashes));
      for (let at = 0; at < size; at++) {
        expect(hex(await view.inclusionProof(at, size))).toEqual(hex(path(at, tree)));
        expect(hex(await view.consistencyProof(at + 1, size))).toEqual(hex(subproof(at + 1, tree, true)));
      }
      expect(await view.consistencyProof(0, size)).toEqual([]);
    }
  });

  it('of several tile levels is read in few tiles', async () => {
    const size = 256 * 256 + 256 * 3 + 5;
    const all = entries(size);
    const tiles = new MemoryTiles(all);
    const view = new TreeView(tiles);
    const range = new CompactRange();
    for (const each of all) range.append(leafHash(each));
    expect(await view.rootAt(size)).toEqual(range.root());
    for (const at of [0, 255, 256, 65_535, 65_536, size - 1]) {
      tiles.asked = 0;
      const proof = await view.inclusionProof(at, size);
      expect(tiles.asked).toBeLessThanOrEqual(6);
      expect(proof.length).toBeGreaterThanOrEqual(3);
      expect(proof.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
    }
  });

  it('rejects places and hashes outside it', async () => {
    const view = new TreeView(new MemoryTiles(entries(3)));
    await expect(async () => view.inclusionProof(3, 3)).rejects.toThrow(RangeError);
    await expect(async () => view.inclusionProof(-1, 3)).rejects.toThrow(RangeError);
    await expect(async () => view.consistencyProof(4, 3)).rejects.toThrow(RangeError);
    await expect(view.rootAt(4)).rejects.toThrow(RangeError);
    expect(() => new CompactRange(3, [Buffer.alloc(32)])).toThrow(RangeError);
    expect(() => new CompactRange(1, [Buffer.alloc(31)])).toThrow(RangeError);
    expect(() => new CompactRange(2 ** 53, [])).toThrow(RangeError);
  });

  it('supports sizes beyond 32 bits', () => {
    const size = 2 ** 40 + 2 ** 33 + 1;
    expect(coverOf(0, size)).toEqual([
      { level: 40, index: 0 },
      { level: 33, index: 128 },
      { level: 0, index: size - 1 },
    ]);
    expect(tileWidth({ level: 4, index: 1 }, size)).toBe(2);
  });

  it('hashes a full tile to the root of its entries', () => {
    const tile = Buffer.concat(entries(256).map(leafHash));
    expect(tile).toHaveLength(TILE_BYTES);
    expect(rootOfFullTile(tile)).toEqual(root(entries(256)));
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { sha256 } from '../../../shared/crypto/hash.js';
import {
  EMPTY_SUBTREE,
  logValue,
  mapKey,
  mapLeafHash,
  mapNodeHash,
  stateValue,
} from '../../../shared/state-map/hashes.js';
import { decodeNode, type MapRoot } from '../../../shared/state-map/node.js';
import { type MapProof, proveKeys } from '../../../shared/state-map/prove.js';
import { type MapEntry, type MapUpdate, updateMap } from '../../../shared/state-map/update.js';
import { mapProofFault } from '../../../shared/state-map/verify-proof.js';
import { seeded } from '../../support/random.js';
import { MemoryNodes } from './memory-nodes.js';

interface MapVectors {
  readonly keys: readonly { readonly kind: string; readonly x: string; readonly key: string }[];
  readonly state_values: readonly { kind: string; tree_index: number; entry_hash: string; value: string }[];
  readonly log_values: readonly { readonly count: number; readonly root: string; readonly value: string }[];
  readonly maps: readonly { readonly entries: readonly (readonly [string, string])[]; readonly root: string }[];
  readonly proofs: readonly {
    readonly key: string;
    readonly value: string | null;
    readonly leaf: { readonly key: string; readonly value: string } | null;
    readonly siblings: readonly string[];
    readonly root: string;
    readonly expect: 'valid' | 'invalid';
    readonly reason?: string;
  }[];
}

const VECTORS = JSON.parse(readFileSync(repositoryFile('docs/evidence-vectors/maps.json'), 'utf8')) as MapVectors;

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const entryOf = ([key, value]: readonly [string, string]): MapEntry => ({ key: hex(key), value: hex(value) });

/** The root by the definition: a subtree without keys is empty, a subtree with one key is its leaf. */
function rootOf(entries: readonly MapEntry[], bit = 0): Buffer {
  const [only, ...others] = entries;
  if (!only) return EMPTY_SUBTREE;
  if (others.length === 0) return mapLeafHash(only.key, only.value);
  const isRight = ({ key }: MapEntry) => (((key[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1) === 1;
  const right = entries.filter(isRight);
  const left = entries.filter((entry) => !isRight(entry));
  return mapNodeHash(rootOf(left, bit + 1), rootOf(right, bit + 1));
}

/** Keys that share their first `prefix` bytes. */
const keyOf = (n: number, prefix: number): Buffer =>
  Buffer.concat([Buffer.alloc(prefix, 0xa5), sha256(`key ${n}`)]).subarray(0, 32);
const contentOf = (n: number): Buffer => sha256(`value ${n}`);

describe('the state map', () => {
  it('has the keys, values and roots of the published vectors', async () => {
    for (const { kind, x, key } of VECTORS.keys) expect(mapKey(kind, hex(x)).toString('hex')).toBe(key);
    for (const { kind, tree_index, entry_hash, value } of VECTORS.state_values) {
      expect(stateValue(kind, tree_index, hex(entry_hash)).toString('hex')).toBe(value);
    }
    for (const { count, root, value } of VECTORS.log_values) {
      expect(logValue(count, hex(root)).toString('hex')).toBe(value);
    }
    for (const { entries, root } of VECTORS.maps) {
      const made = await updateMap(new MemoryNodes(), { from: null, version: 1 }, entries.map(entryOf));
      expect(made.root.toString('hex')).toBe(root);
    }
  });

  it('accepts and rejects the proofs of the published vectors, each with its reason', () => {
    for (const { expect: verdict, reason, ...vector } of VECTORS.proofs) {
      const { key, value, leaf, siblings, root } = vector;
      const proof = { leaf: leaf && entryOf([leaf.key, leaf.value]), siblings: siblings.map(hex) };
      const fault = mapProofFault({ root: hex(root), key: hex(key), value: value === null ? null : hex(value), proof });
      expect({ ...vector, fault }).toEqual({ ...vector, fault: verdict === 'valid' ? null : reason });
    }
  });

  it.each([0, 1, 5, 30])(
    'has the root of its definition after each batch, with %i shared bytes in the keys',
    async (prefix) => {
      const random = seeded(20_261_124 + prefix);
      const nodes = new MemoryNodes();
      const all = new Map<string, MapEntry>();
      let from: MapRoot | null = null;
      for (let version = 1; version <= 25; version++) {
        const batch = new Map<number, MapEntry>();
        for (let i = Math.floor(random() * 12); i >= 0; i--) {
          const n = Math.floor(random() * 90);
          batch.set(n, { key: keyOf(n, prefix), value: contentOf(random() * 1e9) });
        }
        for (const entry of batch.values()) all.set(entry.key.toString('hex'), entry);
        const update: MapUpdate = await updateMap(nodes, { from, version }, [...batch.values()]);
        nodes.keep(version, update);
        nodes.prune(update);
        expect(update.root).toEqual(rootOf([...all.values()]));
        from = { version, root: update.root };
      }
    },
  );

  it('proves each key that it has and the absence of each other key, in every kept version', async () => {
    const nodes = new MemoryNodes();
    const roots: Buffer[] = [];
    let from: MapRoot | null = null;
    for (let version = 1; version <= 4; version++) {
      const batch = Array.from({ length: 60 }, (_, i) => version * 40 + i).map((n) => ({
        key: keyOf(n, 1),
        value: contentOf(version * 1000 + n),
      }));
      const update: MapUpdate = await updateMap(nodes, { from, version }, batch);
      from = { version, root: update.root };
      nodes.keep(version, update);
      roots.push(update.root);
    }
    const keys = Array.from({ length: 300 }, (_, n) => keyOf(n, 1));
    for (const [i, root] of roots.entries()) {
      const version = i + 1;
      const proofs = await proveKeys(nodes, version, keys);
      for (const [n, proof] of proofs.entries()) {
        const last = Math.min(version, Math.floor(n / 40));
        const isPresent = n >= 40 && n < version * 40 + 60 && last >= 1;
        const value = isPresent ? contentOf(last * 1000 + n) : null;
        const key = keys[n] ?? EMPTY_SUBTREE;
        expect([n, mapProofFault({ root, key, value, proof })]).toEqual([n, null]);
        expect(mapProofFault({ root, key, value: isPresent ? null : contentOf(n), proof })).not.toBeNull();
      }
    }
  });

  it('proves the absence of any key in the empty map', async () => {
    const [proof] = await proveKeys(new MemoryNodes(), null, [keyOf(1, 0)]);
    const claim = { root: EMPTY_SUBTREE, key: keyOf(1, 0), value: null, proof: proof as MapProof };
    expect(mapProofFault(claim)).toBeNull();
  });

  it('reads each level of its nodes once for a batch, and writes the nodes of the changed paths alone', async () => {
    const nodes = new MemoryNodes();
    const first = await updateMap(
      nodes,
      { from: null, version: 1 },
      Array.from({ length: 5_000 }, (_, n) => ({ key: keyOf(n, 0), value: contentOf(n) })),
    );
    nodes.keep(1, first);
    nodes.reads = 0;
    const batch = Array.from({ length: 10 }, (_, n) => ({ key: keyOf(n, 0), value: contentOf(n + 1) }));
    const update = await updateMap(nodes, { from: { version: 1, root: first.root }, version: 2 }, batch);
    expect(nodes.reads).toBeLessThanOrEqual(6);
    expect(update.written.length).toBeLessThanOrEqual(1 + 10 * 5);
    expect(update.stale).toHaveLength(update.written.length);
  });

  it('rejects a key that occurs twice in a batch', async () => {
    const entry = { key: keyOf(1, 0), value: contentOf(1) };
    await expect(updateMap(new MemoryNodes(), { from: null, version: 1 }, [entry, entry])).rejects.toThrow(RangeError);
  });

  it('rejects stored nodes that were cut, extended or edited', async () => {
    const entries = [1, 2, 3].map((n) => ({ key: keyOf(n, 0), value: contentOf(n) }));
    const { written } = await updateMap(new MemoryNodes(), { from: null, version: 1 }, entries);
    const [{ bytes } = { bytes: Buffer.alloc(0) }] = written;
    expect(() => decodeNode(bytes.subarray(0, -1))).toThrow(RangeError);
    expect(() => decodeNode(Buffer.concat([bytes, Buffer.of(0)]))).toThrow(RangeError);
    expect(() => decodeNode(Buffer.concat([Buffer.of(9), bytes.subarray(1)]))).toThrow(RangeError);
    expect(() => decodeNode(Buffer.alloc(0))).toThrow(RangeError);
  });
});

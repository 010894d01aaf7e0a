import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { sha256 } from '../../../shared/crypto/hash.js';
import { EMPTY_SUBTREE } from '../../../shared/state-map/hashes.js';
import { proveMany, settled } from '../../../shared/state-map/multiproof.js';
import { MapDamaged, type MapRoot } from '../../../shared/state-map/node.js';
import { type MapEntry, updateMap } from '../../../shared/state-map/update.js';
import { seeded } from '../../support/random.js';
import { MemoryNodes } from './memory-nodes.js';
import { type MapClaimOf, MapProofFault, MultiproofVerifier } from './multiproof-verifier.js';

interface MultiproofVector {
  readonly claims: readonly { readonly key: string; readonly value: string | null }[];
  readonly tokens: string;
  readonly root: string;
  readonly expect: 'valid' | 'invalid';
  readonly reason?: string;
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const VECTORS = JSON.parse(readFileSync(repositoryFile('docs/evidence-vectors/maps.json'), 'utf8')) as {
  readonly maps: readonly { readonly entries: readonly (readonly [string, string])[]; readonly root: string }[];
  readonly multiproofs: readonly MultiproofVector[];
};

async function mapOf(entries: readonly MapEntry[]): Promise<{ nodes: MemoryNodes; map: MapRoot }> {
  const nodes = new MemoryNodes();
  const update = await updateMap(nodes, { from: null, version: 1 }, entries);
  nodes.keep(1, update);
  return { nodes, map: { version: 1, root: update.root } };
}

/** The fault of a proof fed at once, or null. */
function faultOf({ claims, tokens, root }: MultiproofVector): string | null {
  const verifier = new MultiproofVerifier();
  try {
    verifier.claims(claims.map(({ key, value }) => ({ key: hex(key), value: value === null ? null : hex(value) })));
    verifier.tokens(hex(tokens));
    return verifier.end().toString('hex') === root ? null : 'the root differs';
  } catch (error) {
    if (error instanceof MapProofFault) return error.message;
    throw error;
  }
}

const keyOf = (n: number, shared = 0): Buffer =>
  Buffer.concat([Buffer.alloc(shared, 0xa5), sha256(`key ${n}`)]).subarray(0, 32);
const byKey = (a: { key: Uint8Array }, b: { key: Uint8Array }): number => Buffer.compare(a.key, b.key);

describe('a multiproof', () => {
  it('is accepted or rejected as in the published vectors, each with its reason', () => {
    for (const vector of VECTORS.multiproofs) {
      expect([vector.tokens, faultOf(vector)]).toEqual([vector.tokens, vector.reason ?? null]);
    }
  });

  it('has the tokens of the published vectors', async () => {
    const largest = VECTORS.maps.at(-1);
    const { nodes, map } = await mapOf(
      (largest?.entries ?? []).map(([key, value]) => ({ key: hex(key), value: hex(value) })),
    );
    const good = VECTORS.multiproofs.filter(
      ({ expect: verdict, root }) => verdict === 'valid' && root === largest?.root,
    );
    expect(good.length).toBeGreaterThanOrEqual(4);
    for (const { claims, tokens } of good) {
      expect(
        (
          await proveMany(
            nodes,
            map,
            claims.map(({ key }) => hex(key)),
          )
        ).toString('hex'),
      ).toBe(tokens);
    }
  });

  it.each([0, 3, 26])('proves keys and absences in slices of any size, with %i shared bytes', async (shared) => {
    const random = seeded(21 + shared);
    for (let round = 0; round < 30; round++) {
      const size = Math.floor(random() * 40);
      const entries = Array.from({ length: size }, (_, n) => ({ key: keyOf(n, shared), value: sha256(`v ${n}`) }));
      const { nodes, map } = await mapOf(entries);
      const values = new Map(entries.map(({ key, value }) => [key.toString('hex'), value]));
      const asked = new Map<string, MapClaimOf>();
      for (let i = Math.floor(random() * 30) + 1; i > 0; i--) {
        const key = keyOf(Math.floor(random() * 80), shared);
        asked.set(key.toString('hex'), { key, value: values.get(key.toString('hex')) ?? null });
      }
      const claims = [...asked.values()].sort(byKey);
      const verifier = new MultiproofVerifier();
      const step = 1 + Math.floor(random() * 5);
      let after: Buffer | null = null;
      const joined: Buffer[] = [];
      for (let at = 0; at < claims.length; at += step) {
        const slice = claims.slice(at, at + step);
        const keys = slice.map(({ key }) => Buffer.from(key));
        const last = at + step >= claims.length;
        const isAsked = (key: Buffer) => asked.has(key.toString('hex'));
        const tokens = settled(await proveMany(nodes, map, keys, { after, last }), isAsked);
        joined.push(tokens);
        verifier.tokens(tokens);
        verifier.claims(slice);
        after = keys.at(-1) ?? null;
      }
      expect(verifier.end()).toEqual(size === 0 ? EMPTY_SUBTREE : map.root);
      const whole = claims.map(({ key }) => Buffer.from(key));
      expect(Buffer.concat(joined)).toEqual(await proveMany(nodes, map, whole));
    }
  });

  it('rejects every change of one byte, and every claim that is not what the map says', async () => {
    const entries = Array.from({ length: 12 }, (_, n) => ({ key: keyOf(n), value: sha256(`v ${n}`) }));
    const { nodes, map } = await mapOf(entries);
    const claims = [...entries.slice(0, 3), { key: keyOf(90), value: null }, { key: keyOf(91), value: null }].sort(
      byKey,
    );
    const tokens = await proveMany(
      nodes,
      map,
      claims.map(({ key }) => key),
    );
    const vector = (bytes: Buffer, claimed: readonly { key: Buffer; value: Buffer | null }[]): MultiproofVector => ({
      claims: claimed.map(({ key, value }) => ({ key: key.toString('hex'), value: value?.toString('hex') ?? null })),
      tokens: bytes.toString('hex'),
      root: map.root.toString('hex'),
      expect: 'invalid',
    });
    expect(faultOf(vector(tokens, claims))).toBeNull();
    for (let at = 0; at < tokens.length; at++) {
      const edited = Buffer.from(tokens);
      edited[at] = (edited[at] ?? 0) ^ 1;
      expect([at, faultOf(vector(edited, claims))]).not.toEqual([at, null]);
    }
    for (const [i, claim] of claims.entries()) {
      const value = claim.value === null ? sha256('made up') : null;
      expect(faultOf(vector(tokens, claims.with(i, { ...claim, value })))).not.toBeNull();
      // An absent key may end where another one ends.
      if (claim.value !== null) expect(faultOf(vector(tokens, claims.toSpliced(i, 1)))).not.toBeNull();
    }
  });

  it('is not made from a stored node that its parent does not prove', async () => {
    const entries = Array.from({ length: 200 }, (_, n) => ({ key: keyOf(n), value: sha256(`v ${n}`) }));
    const { nodes, map } = await mapOf(entries);
    const other = await updateMap(nodes, { from: map, version: 2 }, [{ key: keyOf(3), value: sha256('edited') }]);
    nodes.keep(1, other);
    await expect(proveMany(nodes, map, [keyOf(3)])).rejects.toThrow(MapDamaged);
    await expect(updateMap(nodes, { from: map, version: 3 }, [{ key: keyOf(3), value: sha256('x') }])).rejects.toThrow(
      MapDamaged,
    );
  });
});

import { sha256Hex } from '../../shared/crypto/hash.js';
import { BLOCK_LEAVES, type BlockProof } from '../../shared/evidence/bundle/inclusion.js';
import type { UnsignedManifest } from '../../shared/evidence/bundle/manifest.js';
import { sealingText } from '../../shared/evidence/bundle/sealing.js';
import { leafHash, nodeHash } from '../../shared/merkle/hashes.js';
import { disclosedAct } from '../../subgraphs/bundles/build/prove-acts.js';
import { unsignedManifestText } from './bundle-texts.js';
import { sealingAct } from './made-acts.js';
import { madeNote } from './made-notes.js';
import { laterAct, type MadeEntry, type MadeLedger, splitOf, treeHash } from './make-ledger.js';

type HashOf = (from: number, to: number) => Buffer;

/** The proof of the last of `size` leaves. */
export function lastLeafProof(hash: HashOf, size: number): BlockProof {
  const hex = (hashes: readonly Buffer[]): string[] => hashes.map((one) => one.toString('hex'));
  const lefts = (from: number, to: number, least: number): Buffer[] => {
    if (to - from <= least) return [];
    const middle = from + splitOf(to - from);
    return [hash(from, middle), ...lefts(middle, to, least)];
  };
  const block = Math.floor((size - 1) / BLOCK_LEAVES);
  // The last block is the last leaf of the tree over blocks, so each step of its path is a left sibling.
  const path = lefts(0, size, size - block * BLOCK_LEAVES);
  return { block, nodes: hex(lefts(block * BLOCK_LEAVES, size, 1)), path: hex(path.reverse()) };
}

/** proofs/sealing.json over any later entry. @param hash over the leaves before it */
export function sealingOf(entry: MadeEntry, origin: string, before: HashOf): Buffer {
  const size = entry.treeIndex + 1;
  const leaf = leafHash(Buffer.from(entry.entryHash, 'hex'));
  const hash: HashOf = (from, to) => {
    if (to < size) return before(from, to);
    if (to - from === 1) return leaf;
    const middle = from + splitOf(to - from);
    return nodeHash(hash(from, middle), hash(middle, to));
  };
  const { record, seed, header } = entry;
  const { source_system } = header;
  return Buffer.from(
    sealingText({
      act: disclosedAct({ record, seed: seed.toString('hex'), source_system }, new Set()).line,
      record: { ...header, prev_hash: header.prev },
      tree_index: entry.treeIndex,
      proof: lastLeafProof(hash, size),
      note: madeNote(`${origin}/inc-1`, size, hash(0, size)),
    }),
  );
}

/** The entry that says that this manifest was to be signed. */
export const sealingEntry = (ledger: MadeLedger, manifest: UnsignedManifest): MadeEntry => {
  const { bundle_id, scope, content_digest } = manifest;
  return laterAct(ledger, sealingAct(bundle_id, scope, { content_digest, manifest_sha256: manifestHash(manifest) }));
};

const manifestHash = (manifest: UnsignedManifest): string => sha256Hex(unsignedManifestText(manifest));

export const madeSealing = (ledger: MadeLedger, entry: MadeEntry): Buffer =>
  sealingOf(entry, ledger.origin, (from, to) => treeHash(ledger.leaves, from, to));

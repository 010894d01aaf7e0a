import type { Case } from './cases.js';
import { all, type Change, forged, line, manifest } from './forge.js';
import { actsOf, KEY, standardFacts, standardLedger, standardSpec } from './good-cases.js';
import { CHECKPOINT_SEED, checkpointVerifier, madeNote, mappedLedger, OTHER_SEED, proofLines } from './make-bundle.js';
import { makeLedger, ORIGIN, treeHash } from './make-ledger.js';

/** Proofs and checkpoints of another tree, another log, or none. */
export function logCases(): Case[] {
  const { leaves, origin } = mappedLedger(standardLedger());
  const size = leaves.length;
  const proofs = 'proofs/inclusion.jsonl';
  const note = 'proofs/checkpoint.note';
  const put =
    (path: string, text: string): Change =>
    ({ files }) =>
      void files.set(path, Buffer.from(text));
  const own = `${origin}/inc-1`;
  const root = treeHash(leaves, 0, size);
  const otherEvents = makeLedger({ seed: 99, entries: 600, own: actsOf(600, standardFacts()) });
  const other = mappedLedger(otherEvents);
  const transplanted = makeLedger({ seed: 11, entries: 600, own: actsOf(600, standardFacts()), tenantId: 't-other' });
  const elsewhere = makeLedger({ seed: 11, entries: 600, own: actsOf(600, standardFacts()), origin: `${ORIGIN}X` });
  return [
    forged(
      'a proof of another tree',
      'INCLUSION_MISMATCH',
      put(proofs, proofLines(other.leaves, standardSpec().events).join('')),
    ),
    forged(
      'a proof of an older tree',
      'INCLUSION_MISMATCH',
      put(proofs, proofLines(leaves.slice(0, 598), standardSpec().events).join('')),
    ),
    ...[0, 1, 2].map((n) =>
      forged(
        `line ${n} of the proofs missing`,
        'INCLUSION_MISMATCH',
        line(proofs, n, () => []),
      ),
    ),
    forged(
      'a proof more',
      'INCLUSION_EXTRA',
      line(proofs, 2, (text) => [text, text]),
    ),
    forged(
      'a hash of a proof',
      'INCLUSION_MISMATCH',
      line(proofs, 0, (text) => text.replace(/"[0-9a-f]{8}/, '"00000000')),
    ),
    forged(
      'a hash of a path',
      'INCLUSION_MISMATCH',
      line(proofs, 0, (text) => text.replace(/"path":\["[0-9a-f]{8}/, '"path":["00000000')),
    ),
    forged(
      'a path that is longer',
      'INCLUSION_MISMATCH',
      line(proofs, 0, (text) => text.replace('"path":[', `"path":["${'00'.repeat(32)}",`)),
    ),
    forged(
      'a proof with blanks',
      'INCLUSION_MISMATCH',
      line(proofs, 1, (text) => text.replace('{', '{ ')),
    ),
    forged(
      'a stale checkpoint',
      'INDEX',
      all(
        put(note, madeNote(own, 300, treeHash(leaves, 0, 300))),
        manifest((old) => ({
          worm_head_hash: treeHash(leaves, 0, 300).toString('hex'),
          ledger: { ...old.ledger, tree_size: 300, root_hash: treeHash(leaves, 0, 300).toString('hex') },
        })),
      ),
    ),
    forged(
      'a checkpoint that the manifest does not name',
      'CHECKPOINT_MISMATCH',
      put(note, madeNote(own, 599, treeHash(leaves, 0, 599))),
    ),
    forged(
      'a checkpoint of another log',
      'CHECKPOINT_ORIGIN',
      put(note, madeNote('eas.example/eas/OTHER/inc-1', size, root)),
    ),
    forged(
      'a checkpoint of another incarnation',
      'CHECKPOINT_ORIGIN',
      put(note, madeNote(`${origin}/inc-2`, size, root)),
    ),
    forged(
      'a checkpoint of another tree',
      'INCLUSION_MISMATCH',
      all(
        put(note, madeNote(own, size, treeHash(other.leaves, 0, size))),
        manifest((old) => ({
          worm_head_hash: treeHash(other.leaves, 0, size).toString('hex'),
          ledger: { ...old.ledger, root_hash: treeHash(other.leaves, 0, size).toString('hex') },
        })),
      ),
    ),
    forged('no checkpoint', 'CHECKPOINT_FORM', put(note, 'nothing\n')),
    {
      ...forged(
        'a checkpoint by another key',
        'CHECKPOINT_SIGNATURE',
        put(note, madeNote(own, size, root, OTHER_SEED)),
      ),
      options: { ...KEY, checkpointKeys: [checkpointVerifier(own)] },
    },
    forged(
      'worm_head_hash',
      'HEAD_HASH_MISMATCH',
      manifest(() => ({ worm_head_hash: 'ab'.repeat(32) })),
    ),
    forged(
      'a chain of another tenant',
      'IDENTITY_MISMATCH',
      manifest((old) => ({ scope: { ...old.scope, tenant_id: standardLedger().tenantId } })),
      { ...standardSpec(), ledger: transplanted },
    ),
    forged(
      'a chain of another deployment',
      'GENESIS_MISMATCH',
      manifest((old) => ({ ledger: { ...old.ledger, origin } })),
      { ...standardSpec(), ledger: elsewhere },
    ),
    forged(
      'a head',
      'HEAD_MISMATCH',
      manifest((old) => ({ ledger: { ...old.ledger, heads: old.ledger.heads.map((head) => ({ ...head, seq: 1 })) } })),
    ),
    forged(
      'no heads',
      'HEAD_MISMATCH',
      manifest((old) => ({ ledger: { ...old.ledger, heads: [] } })),
    ),
    // The forger has every entry's hash, but not the log: a rebuilt chain does not lead to the root.
    forged(
      'a chain made anew',
      'INCLUSION_MISMATCH',
      (draft) => {
        draft.files.set(note, Buffer.from(madeNote(own, size, root, CHECKPOINT_SEED)));
        draft.manifest = {
          ...draft.manifest,
          worm_head_hash: root.toString('hex'),
          ledger: { ...draft.manifest.ledger, root_hash: root.toString('hex') },
        };
      },
      { ...standardSpec(), ledger: otherEvents },
    ),
  ];
}

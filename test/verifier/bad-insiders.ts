import { sha256Hex } from '../../shared/crypto/hash.js';
import { contentDigest, unsignedManifestText } from './bundle-texts.js';
import type { Case } from './cases.js';
import { all, type Change, edit, forged, line, manifest } from './forge.js';
import { actsOf, KEY, plainSpec, standardFacts, standardLedger, standardSpec } from './good-cases.js';
import { disposalAct, documentAct, documentIdOf, eventIdAt, redactionAct, sealingAct } from './made-acts.js';
import { checkpointVerifier, listFiles, madeNote, mappedLedger } from './make-bundle.js';
import { type Act, laterAct, type MadeLedger, makeLedger, treeHash } from './make-ledger.js';
import { madeSealing, sealingEntry } from './make-sealing.js';

// Insiders: they hold the key of bundles, and rebuild every hash, list and digest of the bundle. They cannot forge the log.

const CHAIN = 'chain.tsv';
const FACTS = 'proofs/facts.jsonl';

/** A cell of the first row of that kind. */
const cellOf = (kind: string, column: number, value: string): Change =>
  edit(CHAIN, (text) => {
    const lines = text.split('\n');
    const at = lines.findIndex((row) => row.split('\t')[2] === kind);
    const cells = (lines[at] ?? '').split('\t');
    cells[column] = value;
    lines[at] = cells.join('\t');
    return lines.join('\n');
  });

const digested: Change = (draft) => {
  const { scope, events, documents } = draft.manifest;
  draft.manifest = { ...draft.manifest, content_digest: contentDigest(scope, events, documents) };
};

const ledgerOf = (facts: readonly Act[]): MadeLedger => makeLedger({ seed: 11, entries: 600, own: actsOf(600, facts) });
const withFacts = (change: (facts: readonly Act[]) => readonly Act[]) => ({
  ...standardSpec(),
  ledger: ledgerOf(change(standardFacts())),
});
const nothing: Change = () => undefined;

export const insiderCases = (): Case[] => [...rewrittenActs(), ...relabelled(), ...replacedDocuments(), ...sealings()];

function rewrittenActs(): Case[] {
  const columns: readonly (readonly [column: number, name: string, value: string])[] = [
    [1, 'at', '2026-03-02T12:00:09.000Z'],
    [3, 'subject_type', 'BUNDLE'],
    [4, 'subject_id', 'evt_other'],
    [5, 'action', 'DOWNLOAD_BUNDLE'],
    [6, 'actor_type', 'KEY'],
    [7, 'actor_id', 'somebody'],
    [8, 'purpose', 'TREATMENT'],
    [9, 'recipient', 'nobody@example.org'],
    [10, 'sha256_before', 'ab'.repeat(32)],
    [11, 'sha256_after', 'ab'.repeat(32)],
  ];
  return [
    ...['CUSTODY', 'SYSTEM', 'RECORD'].flatMap((kind) =>
      columns.flatMap(([column, name, value]) =>
        kind === 'CUSTODY' || column < 10
          ? [forged(`${kind} says another ${name}`, 'ACT_ROW', cellOf(kind, column, value))]
          : [],
      ),
    ),
    forged('custody hides its recipient in chain.tsv', 'ACT_ROW', cellOf('CUSTODY', 9, '-')),
    forged(
      'a value of a whole act',
      'ACT_RECORD',
      line(FACTS, 0, (text) => text.replace('READ_RAW', 'READ_RAX')),
    ),
    forged(
      'a value of a partly disclosed act',
      'ACT_RECORD',
      line(FACTS, 1, (text) => text.replace('READ_RAW', 'READ_RAX')),
    ),
    forged(
      'a hidden digest of an act',
      'ACT_RECORD',
      line(FACTS, 1, (text) => text.replace(/"hidden":\["[0-9a-f]{4}/, '"hidden":["0000')),
    ),
    forged(
      'an act with an unknown member',
      'ACT_RECORD',
      line(FACTS, 1, (text) => text.replace('"state":"REDACTED"', '"state":"REDACTED","x":1')),
    ),
    forged(
      'an act of another entry',
      'ACT_RECORD',
      edit(FACTS, (text) => {
        const [first, second, third, ...rest] = text.split('\n');
        return [third, second, first, ...rest].join('\n');
      }),
    ),
    forged(
      'an act left out of facts.jsonl',
      'ACT_UNPROVEN',
      edit(FACTS, (text) => text.slice(0, text.slice(0, -1).lastIndexOf('\n') + 1)),
    ),
    forged(
      'an act more in facts.jsonl',
      'ACT_EXTRA',
      edit(FACTS, (text) => text + text.slice(text.slice(0, -1).lastIndexOf('\n') + 1)),
    ),
    forged(
      'facts that are no UTF-8',
      'TEXT_ENCODING',
      ({ files }) => void files.set(FACTS, Buffer.from([0x7b, 0xff, 0x0a])),
    ),
  ];
}

function relabelled(): Case[] {
  const asDisposal = cellOf('SYSTEM', 5, 'record.disposed');
  return [
    forged(
      'an event called disposed of, and no fact says so',
      'DISPOSAL_UNEXPLAINED',
      nothing,
      withFacts((facts) => facts.slice(1)),
    ),
    forged(
      'an event called disposed of by the disposal of another',
      'DISPOSAL_UNEXPLAINED',
      nothing,
      withFacts(([, ...facts]) => [disposalAct(eventIdAt(10)), ...facts]),
    ),
    forged(
      'a redaction called a disposal',
      'ACT_ROW',
      asDisposal,
      withFacts(([, ...facts]) => facts),
    ),
    forged(
      'an entry that is no fact, in the form of a disposal',
      'DISPOSAL_UNEXPLAINED',
      nothing,
      withFacts(([, ...facts]) => [
        {
          ...disposalAct(eventIdAt(8)),
          payload: { subject: { kind: 'disposal', id: eventIdAt(8) }, actor: { type: 'SERVICE' } },
        },
        ...facts,
      ]),
    ),
    forged(
      'a disposal in another partition',
      'DISPOSAL_UNEXPLAINED',
      nothing,
      withFacts(([, ...facts]) => [{ ...disposalAct(eventIdAt(8)), source_system: '_records' }, ...facts]),
    ),
    forged(
      'an event redacted, and no fact says so',
      'REDACTION_UNPROVEN',
      nothing,
      withFacts((facts) => facts.filter((_, i) => i !== 1)),
    ),
    forged(
      'an event redacted by another redaction',
      'REDACTION_UNPROVEN',
      nothing,
      withFacts((facts) => facts.map((fact, i) => (i === 1 ? redactionAct(eventIdAt(2), 'red_other') : fact))),
    ),
  ];
}

function replacedDocuments(): Case[] {
  const [, , , , , plain] = standardFacts();
  const content = Buffer.from('a document');
  const other = Buffer.from('b document');
  const id = documentIdOf(content);
  const spec = plainSpec();
  /** Puts other content of equal size under the same document, with every hash rebuilt. */
  const replaced: Change = (draft) => {
    draft.files.delete(`documents/${sha256Hex(content)}`);
    draft.files.set(`documents/${sha256Hex(other)}`, other);
    const documents = draft.manifest.documents.map((one) => ({ ...one, sha256: sha256Hex(other) }));
    draft.manifest = { ...draft.manifest, documents };
    digested(draft);
  };
  const state =
    (name: 'QUARANTINED' | 'DISPOSED'): Change =>
    (draft) => {
      draft.files.delete(`documents/${sha256Hex(content)}`);
      const sha256 = name === 'DISPOSED' ? null : sha256Hex(content);
      const documents = draft.manifest.documents.map((one) => ({ ...one, sha256, state: name }));
      const { counts } = draft.manifest;
      const changed = name === 'DISPOSED' ? { disposed: 1 } : { quarantined: 1 };
      draft.manifest = { ...draft.manifest, documents, counts: { ...counts, ...changed } };
      digested(draft);
    };
  const withOwn = (fact: Act) => ({
    ...spec,
    ledger: ledgerOf([
      ...standardFacts().filter((one) => one !== plain && one.source_record_id !== plain?.source_record_id),
      fact,
    ]),
  });
  return [
    forged('a document replaced by another content', 'DOCUMENT_FACT', replaced, spec),
    forged('a document called disposed of', 'DOCUMENT_FACT', state('DISPOSED'), spec),
    forged(
      'a document of another size than its fact',
      'DOCUMENT_FACT',
      nothing,
      withOwn(documentAct(id, 'a longer document')),
    ),
    forged('a document without a fact', 'DOCUMENT_UNPROVEN', nothing, withOwn(documentAct('doc_other', content))),
    forged('a rejected document shown', 'DOCUMENT_FACT', nothing, withOwn(documentAct(id, content, 'REJECTED'))),
    forged(
      'a document called redacted, and no fact says so',
      'DOCUMENT_UNPROVEN',
      all(
        manifest((old) => ({
          documents: old.documents.map((one) => ({ ...one, state: 'REDACTED' as const })),
          counts: { ...old.counts, redacted: 1 },
        })),
        digested,
      ),
      spec,
    ),
  ];
}

/** The fact before the signature: of another bundle, scope or manifest, not in the log, or not there. */
function sealings(): Case[] {
  const acted =
    (change: (act: Act) => Act): Change =>
    (draft) => {
      listFiles(draft);
      const { bundle_id, scope, content_digest } = draft.manifest;
      const manifest_sha256 = sha256Hex(unsignedManifestText(draft.manifest));
      const act = change(sealingAct(bundle_id, scope, { content_digest, manifest_sha256 }));
      draft.sealing = madeSealing(draft.ledger, laterAct(draft.ledger, act));
    };
  const payload = (members: object): Change => acted((act) => ({ ...act, payload: { ...act.payload, ...members } }));
  const edited =
    (change: (text: string) => string): Change =>
    (draft) => {
      listFiles(draft);
      const made = madeSealing(draft.ledger, sealingEntry(draft.ledger, draft.manifest)).toString('utf8');
      draft.sealing = Buffer.from(change(made));
      if (draft.sealing.toString('utf8') === made) throw new Error('nothing was changed in the sealing');
    };
  const { origin, leaves } = mappedLedger(standardLedger());
  const noteOf = (size: number, name = `${origin}/inc-1`): string =>
    JSON.stringify(madeNote(name, size, treeHash(leaves, 0, Math.min(size, leaves.length))));
  const noted = (note: string): Change =>
    edited((text) => text.replace(/"note":"(?:[^"\\]|\\.)*"/, () => `"note":${note}`));
  return [
    forged('no fact before the signature', 'SEALING_MISSING', (draft) => {
      draft.sealing = null;
    }),
    forged(
      'a fact that is no JSON',
      'SEALING_FORM',
      edited(() => 'nothing'),
    ),
    forged(
      'an unknown member beside the fact',
      'SEALING_FORM',
      edited((text) => text.replace(/\}$/, ',"x":1}')),
    ),
    forged('a fact of another bundle', 'SEALING_OTHER', payload({ subject: { kind: 'bundle', id: 'bun_02' } })),
    forged(
      'a fact before the signature of another manifest',
      'SEALING_OTHER',
      payload({ manifest_sha256: 'ab'.repeat(32) }),
    ),
    forged('a fact of other content', 'SEALING_OTHER', payload({ content_digest: 'ab'.repeat(32) })),
    forged(
      'a fact of another scope',
      'SEALING_OTHER',
      payload({ state: { scope: { tenant_id: 't-verify', member_id: 'M-2' } } }),
    ),
    forged(
      'a fact of a narrower scope',
      'SEALING_OTHER',
      payload({ state: { scope: { tenant_id: 't-verify', member_id: 'M-1', from: '2026-01-01T00:00:00Z' } } }),
    ),
    forged(
      'a fact of another step',
      'SEALING_OTHER',
      acted((act) => ({ ...act, event_type: 'bundle.requested' })),
    ),
    forged(
      'a fact in another partition',
      'SEALING_OTHER',
      acted((act) => ({ ...act, source_system: '_system' })),
    ),
    forged(
      'a fact with another value',
      'SEALING_FACT',
      edited((text) => text.replace('bundle.sealing', 'bundle.sealinh')),
    ),
    forged(
      'a fact at another place',
      'SEALING_PROOF',
      edited((text) => text.replace('"tree_index":601', '"tree_index":602')),
    ),
    forged(
      'a fact that is not in the tree',
      'SEALING_PROOF',
      edited((text) => text.replace(/"nodes":\["[0-9a-f]{8}/, '"nodes":["00000000')),
    ),
    forged('a fact under the checkpoint of the bundle', 'SEALING_CHECKPOINT', noted(noteOf(601))),
    forged(
      'a fact under the checkpoint of another log',
      'SEALING_CHECKPOINT',
      noted(noteOf(602, 'eas.example/eas/OTHER/inc-1')),
    ),
    {
      ...forged(
        'a fact under a checkpoint by another key',
        'SEALING_SIGNATURE',
        edited((text) => text.replace(/(inc-1 )[A-Za-z0-9+/]{12}/, '$1AAAAAAAAAAAA')),
      ),
      options: { ...KEY, checkpointKeys: [checkpointVerifier(`${origin}/inc-1`)] },
    },
  ];
}
